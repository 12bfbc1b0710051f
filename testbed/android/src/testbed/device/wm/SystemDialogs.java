package testbed.device.wm;

import android.app.AlertDialog;
import android.content.Context;
import android.content.res.Resources;
import android.view.ContextThemeWrapper;
import android.view.LayoutInflater;
import android.view.View;
import android.view.WindowManager;
import java.util.LinkedHashMap;
import java.util.Map;
import org.robolectric.RuntimeEnvironment;
import testbed.device.Device;
import testbed.device.MainLoop;
import testbed.device.Settings;
import testbed.device.am.Processes;
import testbed.device.pm.App;

/** The two dialogs that the system puts over a failing app: the framework's own layouts and words, in windows of the package "android". */
public final class SystemDialogs {
    private SystemDialogs() {}

    public static void crashed(App app) {
        if ("1".equals(Settings.get("global", "hide_error_dialogs"))) return;
        Map<String, Runnable> answers = new LinkedHashMap<>();
        answers.put("aerr_app_info", () -> {});
        answers.put("aerr_close", () -> {});
        show("Application Error: " + app.packageName, words("aerr_application_repeated", "aerr_application", app), "app_error_dialog", answers);
    }

    public static void notResponding(App app) {
        Map<String, Runnable> answers = new LinkedHashMap<>();
        answers.put("aerr_close", () -> Processes.kill(app.packageName, "user request after ANR"));
        answers.put("aerr_wait", () -> {});
        show("Application Not Responding: " + app.packageName, words("anr_process", "anr_process", app), "app_anr_dialog", answers);
    }

    private static String words(String name, String before, App app) {
        Resources system = Resources.getSystem();
        int id = system.getIdentifier(name, "string", "android");
        return system.getString(id == 0 ? system.getIdentifier(before, "string", "android") : id, app.label());
    }

    /** API 23 has no layout for it: there the answers are the dialog's own buttons, the first one on the right. */
    private static void show(String windowTitle, String text, String layout, Map<String, Runnable> answers) {
        MainLoop.post(() -> {
            Context context = new ContextThemeWrapper(RuntimeEnvironment.systemContext == null ? RuntimeEnvironment.getApplication() : RuntimeEnvironment.systemContext,
                    android.R.style.Theme_Material_Light_Dialog_Alert);
            AlertDialog.Builder builder = new AlertDialog.Builder(context).setCancelable(false);
            boolean plain = Device.api() < 24;
            View content = plain ? null : LayoutInflater.from(context).inflate(identifier(layout, "layout"), null);
            if (plain) {
                builder.setMessage(text);
                if (answers.containsKey("aerr_wait")) builder.setNegativeButton(identifier("wait", "string"), (d, which) -> answers.get("aerr_wait").run());
                builder.setPositiveButton(identifier("force_close", "string"), (d, which) -> answers.get("aerr_close").run());
            } else {
                builder.setTitle(text).setView(content);
            }
            AlertDialog dialog = builder.create();
            for (Map.Entry<String, Runnable> answer : plain ? Map.<String, Runnable>of().entrySet() : answers.entrySet()) {
                View button = content.findViewById(identifier(answer.getKey(), "id"));
                button.setVisibility(View.VISIBLE);
                button.setOnClickListener(view -> {
                    dialog.dismiss();
                    answer.getValue().run();
                });
            }
            dialog.getWindow().setType(WindowManager.LayoutParams.TYPE_SYSTEM_ALERT);
            dialog.getWindow().setTitle(windowTitle);
            // Dialog.show of API 23 adds a copy of the attributes.
            dialog.getWindow().getAttributes().setTitle(windowTitle);
            dialog.show();
            dialog.getWindow().getAttributes().setTitle(windowTitle);
        });
    }

    private static int identifier(String name, String type) {
        return Resources.getSystem().getIdentifier(name, type, "android");
    }
}
