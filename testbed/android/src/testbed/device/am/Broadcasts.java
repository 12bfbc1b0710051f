package testbed.device.am;

import android.content.BroadcastReceiver;
import android.content.Context;
import android.content.Intent;
import java.util.List;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.TimeUnit;
import org.robolectric.RuntimeEnvironment;
import org.robolectric.shadow.api.Shadow;
import org.robolectric.shadows.ShadowApplication;
import org.robolectric.shadows.ShadowInstrumentation;
import testbed.device.MainLoop;
import testbed.device.Reflect;
import testbed.device.pm.AppClassLoader;
import testbed.device.shell.Call;

/** Broadcasts from the shell, ordered, with their result. */
public final class Broadcasts {
    private Broadcasts() {}

    public static int send(Call call, Intent intent) throws Exception {
        Intent shown = new Intent(intent);
        shown.setFlags(0x400000);
        call.out.println("Broadcasting: Intent { " + Activities.describe(shown) + " }");
        call.flush();
        CountDownLatch done = new CountDownLatch(1);
        int[] code = new int[1];
        String[] data = new String[1];
        MainLoop.run(() -> RuntimeEnvironment.getApplication().sendOrderedBroadcast(intent, null, new BroadcastReceiver() {
            @Override
            public void onReceive(Context context, Intent received) {
                code[0] = getResultCode();
                data[0] = getResultData();
                done.countDown();
            }
        }, null, 0, null, null));
        done.await(10, TimeUnit.SECONDS);
        call.out.println("Broadcast completed: result=" + code[0] + (data[0] == null ? "" : ", data=\"" + data[0] + "\""));
        return 0;
    }

    /** Takes the receivers away that a dead app has registered. */
    static void forget(AppClassLoader loader) {
        ShadowInstrumentation instrumentation = Shadow.extract(AppRuntime.thread().getInstrumentation());
        for (ShadowApplication.Wrapper each : Reflect.<List<ShadowApplication.Wrapper>>call(instrumentation, "getRegisteredReceivers")) {
            if (AppThreads.isOf(loader, each.broadcastReceiver)) Reflect.call(instrumentation, "unregisterReceiver", each.broadcastReceiver);
        }
    }
}
