package testbed.device.system;

import android.content.Intent;
import android.content.pm.PackageManager;
import android.os.Bundle;
import android.view.Gravity;
import android.view.WindowManager;
import android.widget.Button;
import android.widget.LinearLayout;
import java.util.ArrayDeque;
import java.util.Deque;
import java.util.Set;
import testbed.device.Device;
import testbed.device.am.Activities;
import testbed.device.pm.App;
import testbed.device.pm.Packages;

/** Asks for one permission after the other, as GrantPermissionsActivity does; its answer is the result of requestPermissions. */
final class PermissionPrompt extends SystemScreen {
    private static final String NAMES = "android.content.pm.extra.REQUEST_PERMISSIONS_NAMES";
    private static final String RESULTS = "android.content.pm.extra.REQUEST_PERMISSIONS_RESULTS";
    /** Granted only while the app is in use, since Android 11 also for one time. */
    private static final Set<String> FOREGROUND = Set.of("android.permission.CAMERA", "android.permission.RECORD_AUDIO",
            "android.permission.ACCESS_FINE_LOCATION", "android.permission.ACCESS_COARSE_LOCATION");

    private final Deque<String> open = new ArrayDeque<>();
    private String[] names;
    private App app;

    PermissionPrompt() {
        super(SystemActivities.permissionController());
    }

    @Override
    protected void onCreate(Bundle state) {
        super.onCreate(state);
        names = getIntent().getStringArrayExtra(NAMES);
        app = Packages.get(Activities.caller(this));
        if (names == null) names = new String[0];
        for (String name : names) if (app != null && app.parsed.requestedPermissions.contains(name) && !app.granted.contains(name)) open.add(name);
        WindowManager.LayoutParams window = getWindow().getAttributes();
        window.gravity = Device.api() >= 29 ? Gravity.BOTTOM : Gravity.CENTER;
        window.width = WindowManager.LayoutParams.MATCH_PARENT;
        getWindow().setAttributes(window);
        setFinishOnTouchOutside(false);
        ask();
    }

    private void ask() {
        String permission = open.peek();
        if (permission == null) {
            answer();
            return;
        }
        LinearLayout column = column();
        named(text(column, "Allow " + app.label() + " to " + purpose(permission) + "?", 18), "permission_message");
        if (Device.api() >= 29 && FOREGROUND.contains(permission)) {
            button(column, "While using the app", "permission_allow_foreground_only_button", true);
            if (Device.api() >= 30) button(column, "Only this time", "permission_allow_one_time_button", true);
        } else {
            button(column, "Allow", "permission_allow_button", true);
        }
        button(column, Device.api() >= 30 ? "Don’t allow" : "Deny", "permission_deny_button", false);
        setContentView(column);
    }

    private void button(LinearLayout column, String label, String id, boolean grants) {
        Button button = named(new Button(this), id);
        button.setText(label);
        button.setOnClickListener(view -> {
            if (grants) app.granted.add(open.peek());
            open.poll();
            ask();
        });
        column.addView(button);
    }

    private static String purpose(String permission) {
        switch (permission) {
            case "android.permission.CAMERA": return "take pictures and record video";
            case "android.permission.RECORD_AUDIO": return "record audio";
            case "android.permission.POST_NOTIFICATIONS": return "send you notifications";
            case "android.permission.READ_CONTACTS":
            case "android.permission.WRITE_CONTACTS": return "access your contacts";
            case "android.permission.ACCESS_FINE_LOCATION":
            case "android.permission.ACCESS_COARSE_LOCATION": return "access this device’s location";
            default: return "use " + permission.substring(permission.lastIndexOf('.') + 1);
        }
    }

    private void answer() {
        int[] results = new int[names.length];
        for (int i = 0; i < names.length; i++) {
            results[i] = app != null && app.granted.contains(names[i]) ? PackageManager.PERMISSION_GRANTED : PackageManager.PERMISSION_DENIED;
        }
        setResult(RESULT_OK, new Intent().putExtra(NAMES, names).putExtra(RESULTS, results));
        finish();
    }

    @Override
    @SuppressWarnings("deprecation")
    public void onBackPressed() {
        // The question wants an answer.
    }
}
