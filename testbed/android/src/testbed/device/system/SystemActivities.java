package testbed.device.system;

import android.app.Activity;
import android.content.Intent;
import android.content.pm.ActivityInfo;
import java.util.List;
import java.util.function.Predicate;
import java.util.function.Supplier;
import org.robolectric.RuntimeEnvironment;
import testbed.device.Device;

/** The activities that a phone brings along. They run in the device process, under their packages' names. */
public final class SystemActivities {
    public static final String LAUNCHER = "com.android.launcher3";
    public static final String SETTINGS = "com.android.settings";
    private static final String REQUEST_PERMISSIONS = "android.content.pm.action.REQUEST_PERMISSIONS";

    private static final List<Entry> ALL = List.of(
            new Entry(LAUNCHER, "com.android.launcher3.Launcher", "Launcher", Launcher::new, noActionBar(),
                    intent -> Intent.ACTION_MAIN.equals(intent.getAction()) && intent.hasCategory(Intent.CATEGORY_HOME)),
            new Entry(SETTINGS, "com.android.settings.Settings", "Settings", SettingsScreen::new, noActionBar(),
                    intent -> intent.getAction() != null && intent.getAction().startsWith("android.settings.")
                            || SETTINGS.equals(intent.getPackage()) && Intent.ACTION_MAIN.equals(intent.getAction())),
            new Entry(permissionController(), permissionClass(), "Permission controller", PermissionPrompt::new, android.R.style.Theme_Material_Light_Dialog_NoActionBar,
                    intent -> REQUEST_PERMISSIONS.equals(intent.getAction())));

    private static final class Entry {
        final ActivityInfo info = new ActivityInfo();
        final Supplier<Activity> maker;
        final Predicate<Intent> takes;

        Entry(String packageName, String className, String label, Supplier<Activity> maker, int theme, Predicate<Intent> takes) {
            info.packageName = packageName;
            info.name = className;
            info.nonLocalizedLabel = label;
            info.theme = theme;
            info.exported = true;
            info.taskAffinity = packageName;
            info.applicationInfo = RuntimeEnvironment.getApplication().getApplicationInfo();
            this.maker = maker;
            this.takes = takes;
        }
    }

    private SystemActivities() {}

    private static int noActionBar() {
        return Device.api() >= 29 ? android.R.style.Theme_DeviceDefault_Light_NoActionBar : android.R.style.Theme_Material_Light_NoActionBar;
    }

    /** The package that asks for permissions; it got a name of its own in Android 10. */
    public static String permissionController() {
        return Device.api() >= 29 ? "com.android.permissioncontroller" : "com.android.packageinstaller";
    }

    private static String permissionClass() {
        return permissionController() + ".permission.ui.GrantPermissionsActivity";
    }

    public static ActivityInfo launcher() {
        return ALL.get(0).info;
    }

    /** The system's activity that an intent means, or null. */
    public static ActivityInfo resolve(Intent intent) {
        for (Entry each : ALL) {
            boolean named = intent.getComponent() != null;
            if (named ? intent.getComponent().getPackageName().equals(each.info.packageName) && intent.getComponent().getClassName().equals(each.info.name)
                    : each.takes.test(intent)) {
                return each.info;
            }
        }
        return null;
    }

    public static Activity make(ActivityInfo info) {
        for (Entry each : ALL) if (each.info.name.equals(info.name)) return each.maker.get();
        throw new IllegalArgumentException("no activity " + info.name);
    }
}
