package testbed.device.wm;

import android.app.AlertDialog;
import android.content.Context;
import android.view.WindowManager;
import org.robolectric.RuntimeEnvironment;
import testbed.device.MainLoop;
import testbed.device.am.Processes;
import testbed.device.pm.App;

/** The two dialogs that the system puts over a failing app: real AlertDialogs of the package "android". */
public final class SystemDialogs {
    private SystemDialogs() {}

    public static void crashed(App app) {
        show("Application Error: " + app.packageName, label(app) + " keeps stopping", "App info", null, "Close app", null);
    }

    public static void notResponding(App app, Runnable onWait) {
        show("Application Not Responding: " + app.packageName, label(app) + " isn't responding", "Close app",
                () -> Processes.kill(app.packageName, "user request after ANR"), "Wait", onWait);
    }

    private static String label(App app) {
        try {
            CharSequence label = app.info().labelRes == 0 ? app.info().nonLocalizedLabel : app.context.getResources().getText(app.info().labelRes);
            return label == null ? app.packageName : label.toString();
        } catch (RuntimeException e) {
            return app.packageName;
        }
    }

    private static void show(String windowTitle, String text, String first, Runnable onFirst, String second, Runnable onSecond) {
        MainLoop.post(() -> {
            Context context = new android.view.ContextThemeWrapper(RuntimeEnvironment.systemContext == null ? RuntimeEnvironment.getApplication() : RuntimeEnvironment.systemContext,
                    android.R.style.Theme_Material_Light_Dialog_Alert);
            AlertDialog dialog = new AlertDialog.Builder(context)
                    .setTitle(text)
                    .setPositiveButton(first, (d, which) -> {
                        if (onFirst != null) onFirst.run();
                    })
                    .setNegativeButton(second, (d, which) -> {
                        if (onSecond != null) onSecond.run();
                    })
                    .setCancelable(false)
                    .create();
            dialog.getWindow().setType(WindowManager.LayoutParams.TYPE_SYSTEM_ALERT);
            dialog.getWindow().setTitle(windowTitle);
            // Dialog.show of API 23 adds a copy of the attributes.
            dialog.getWindow().getAttributes().setTitle(windowTitle);
            dialog.show();
            dialog.getWindow().getAttributes().setTitle(windowTitle);
        });
    }
}
