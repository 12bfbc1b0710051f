package testbed.device.shadow;

import android.app.Activity;
import android.app.Instrumentation;
import android.app.UiAutomation;
import android.content.Context;
import android.content.Intent;
import android.os.Bundle;
import android.os.IBinder;
import android.os.UserHandle;
import org.robolectric.annotation.Implementation;
import org.robolectric.annotation.Implements;
import org.robolectric.annotation.RealObject;
import org.robolectric.shadow.api.Shadow;
import org.robolectric.shadows.ShadowInstrumentation;
import org.robolectric.util.ReflectionHelpers.ClassParameter;
import testbed.device.MainLoop;
import testbed.device.am.Activities;
import testbed.device.am.Instruments;

/** Gives UiAutomation and finishing back to the framework and brings every start of an activity to our stack. */
@Implements(className = "android.app.Instrumentation", isInAndroidSdk = false)
public class RealInstrumentation extends ShadowInstrumentation {
    @RealObject
    private Instrumentation real;

    @Override
    @Implementation(maxSdk = 23)
    protected UiAutomation getUiAutomation() {
        return Shadow.directlyOn(real, Instrumentation.class, "getUiAutomation");
    }

    @Override
    @Implementation(minSdk = 24)
    protected UiAutomation getUiAutomation(int flags) {
        return Shadow.directlyOn(real, Instrumentation.class, "getUiAutomation", ClassParameter.from(int.class, flags));
    }

    @Implementation
    protected void finish(int code, Bundle results) {
        Instruments.beforeFinish(real);
        Shadow.directlyOn(real, Instrumentation.class, "finish", ClassParameter.from(int.class, code), ClassParameter.from(Bundle.class, results));
        Instruments.finished(real, code, results);
    }

    @Implementation
    protected void runOnMainSync(Runnable work) {
        MainLoop.run(work::run);
    }

    @Implementation
    protected void waitForIdleSync() {
        MainLoop.awaitIdle(MainLoop.PATIENCE_MILLIS);
    }

    @Implementation
    protected Activity startActivitySync(Intent intent) {
        return Activities.startAndAwait(intent);
    }

    @Override
    @Implementation(minSdk = 28)
    protected Activity startActivitySync(Intent intent, Bundle options) {
        return Activities.startAndAwait(intent);
    }

    @Override
    @Implementation
    protected Instrumentation.ActivityResult execStartActivity(
            Context who, IBinder contextThread, IBinder token, Activity target, Intent intent, int requestCode, Bundle options) {
        Activities.startFrom(who, target, null, intent, requestCode);
        return null;
    }

    @Override
    @Implementation
    protected Instrumentation.ActivityResult execStartActivity(
            Context who, IBinder contextThread, IBinder token, String target, Intent intent, int requestCode, Bundle options) {
        Activities.startFrom(who, who instanceof Activity ? (Activity) who : null, target, intent, requestCode);
        return null;
    }

    @Override
    @Implementation
    protected Instrumentation.ActivityResult execStartActivity(
            Context who, IBinder contextThread, IBinder token, Activity target, Intent intent, int requestCode, Bundle options, UserHandle user) {
        Activities.startFrom(who, target, null, intent, requestCode);
        return null;
    }

    @Override
    @Implementation
    protected Instrumentation.ActivityResult execStartActivity(
            Context who, IBinder contextThread, IBinder token, String target, Intent intent, int requestCode, Bundle options, UserHandle user) {
        Activities.startFrom(who, who instanceof Activity ? (Activity) who : null, target, intent, requestCode);
        return null;
    }
}
