package testbed.device.shadow;

import android.app.Activity;
import org.robolectric.annotation.Implementation;
import org.robolectric.annotation.Implements;
import org.robolectric.annotation.RealObject;
import org.robolectric.shadow.api.Shadow;
import org.robolectric.shadows.ShadowActivity;
import org.robolectric.util.ReflectionHelpers.ClassParameter;

/** Lets an activity really ask for permissions: the framework starts the prompt, which is one of ours. */
@Implements(className = "android.app.Activity", isInAndroidSdk = false)
public class RealActivity extends ShadowActivity {
    @RealObject
    private Activity real;

    @Override
    @Implementation
    protected void requestPermissions(String[] permissions, int request) {
        Shadow.directlyOn(real, Activity.class, "requestPermissions", ClassParameter.from(String[].class, permissions), ClassParameter.from(int.class, request));
    }

    @Override
    @Implementation(minSdk = 35)
    protected void requestPermissions(String[] permissions, int request, int device) {
        Shadow.directlyOn(real, Activity.class, "requestPermissions",
                ClassParameter.from(String[].class, permissions), ClassParameter.from(int.class, request), ClassParameter.from(int.class, device));
    }
}
