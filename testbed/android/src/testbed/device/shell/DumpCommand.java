package testbed.device.shell;

import android.content.pm.PackageParser;
import java.util.Locale;
import testbed.device.Device;
import testbed.device.MainLoop;
import testbed.device.a11y.UiAutomationServer;
import testbed.device.am.Activities;
import testbed.device.am.Processes;
import testbed.device.ime.InputMethods;
import testbed.device.pm.App;
import testbed.device.pm.Packages;
import testbed.device.wm.Screen;
import testbed.device.wm.Windows;

/** dumpsys, as far as hosts read it, in the words of the API level. */
final class DumpCommand implements Command {
    private static final String[] SERVICES = {"accessibility", "activity", "battery", "display", "input", "input_method", "package", "power", "window"};

    @Override
    public int run(Call call) {
        String service = call.next();
        while (service != null && service.startsWith("-")) {
            if (service.equals("-l")) {
                call.out.println("Currently running services:");
                for (String each : SERVICES) call.out.println("  " + each);
                return 0;
            }
            if (service.equals("-t") || service.equals("-T")) call.next();
            service = call.next();
        }
        switch (String.valueOf(service)) {
            case "window": return window(call);
            case "activity": return activity(call);
            case "input_method": return InputMethods.dump(call.out);
            case "display": return display(call);
            case "input":
                call.out.println("INPUT MANAGER (dumpsys input)");
                call.out.println("      SurfaceOrientation: " + Screen.rotation());
                return 0;
            case "accessibility": return accessibility(call);
            case "package": return dumpPackage(call, String.valueOf(call.next()));
            case "battery":
                call.out.println("Current Battery Service state:");
                call.out.println("  AC powered: true\n  status: 2\n  health: 2\n  present: true\n  level: 100\n  scale: 100\n  temperature: 250");
                return 0;
            case "power":
                call.out.println("POWER MANAGER (dumpsys power)");
                call.out.println("  mWakefulness=Awake\n  mHoldingDisplaySuspendBlocker=true\nDisplay Power: state=ON");
                return 0;
            default:
                call.err.println("Can't find service: " + service);
                return 0;
        }
    }

    private static String hash(Object object) {
        return String.format(Locale.ROOT, "%07x", System.identityHashCode(object));
    }

    private static String name(Windows.Record window) {
        String title = window.title();
        return "Window{" + hash(window.root) + " u0 " + (title.isEmpty() ? window.packageName() : title) + "}";
    }

    private static String record(Activities.Record record) {
        return "ActivityRecord{" + hash(record) + " u0 " + record.component().flattenToShortString() + (Device.api() >= 34 ? " t" : " t") + record.task.id + "}";
    }

    private static int window(Call call) {
        String what = String.valueOf(call.peek());
        Windows.Record focus = Windows.focused();
        Activities.Record top = Activities.resumed();
        call.out.println("WINDOW MANAGER " + (what.equals("displays") ? "DISPLAY CONTENTS (dumpsys window displays)" : "WINDOWS (dumpsys window windows)"));
        if (what.equals("displays") || what.equals("d")) {
            call.out.println("  Display: mDisplayId=0");
            call.out.println("    init=" + Screen.PHYSICAL_WIDTH + "x" + Screen.PHYSICAL_HEIGHT + " " + Screen.PHYSICAL_DENSITY + "dpi cur=" + Screen.width() + "x" + Screen.height()
                    + " app=" + Screen.width() + "x" + Screen.height());
            call.out.println("    mRotation=" + Screen.rotation());
        } else {
            int index = 0;
            for (Windows.Record each : Windows.visible()) {
                call.out.println("  Window #" + index++ + " " + name(each) + ":");
                call.out.println("    mDisplayId=0 rootTaskId=1 mSession=Session{" + hash(each.view) + " 1:u0a" + 10000 + "}");
                call.out.println("    mOwnerUid=" + uid(each) + " showForAllUsers=false package=" + each.packageName() + " appop=NONE");
                call.out.println("    mAttrs={(" + each.frame.left + "," + each.frame.top + ")(" + each.frame.width() + "x" + each.frame.height() + ") ty=" + each.params.type
                        + " fl=0x" + Integer.toHexString(each.params.flags) + "}");
                call.out.println("    mFrame=[" + each.frame.left + "," + each.frame.top + "][" + each.frame.right + "," + each.frame.bottom + "]");
                call.out.println("    isOnScreen=true");
                call.out.println("    isVisible=true");
            }
        }
        // From API 29 on, the focus lines stand in the section of the display.
        if (Device.api() < 29 || what.equals("null") || what.equals("displays") || what.equals("d") || Device.api() >= 30) {
            call.out.println("  mCurrentFocus=" + (focus == null ? "null" : name(focus)));
            String app = top == null ? "null" : record(top);
            call.out.println("  mFocusedApp=" + (Device.api() >= 30 || top == null ? app : "AppWindowToken{" + hash(top.activity) + " token=Token{" + hash(top.intent) + " " + app + "}}"));
        }
        return 0;
    }

    private static int uid(Windows.Record window) {
        App app = Packages.get(window.packageName());
        return app == null ? 1000 : app.uid;
    }

    private static int activity(Call call) {
        String what = String.valueOf(call.next());
        Activities.Record top = Activities.resumed();
        if (what.equals("processes") || what.equals("p")) {
            call.out.println("ACTIVITY MANAGER RUNNING PROCESSES (dumpsys activity processes)");
            for (String each : Processes.names()) call.out.println("  *APP* UID " + Packages.get(each).uid + " ProcessRecord{" + hash(each) + " " + Processes.pid(each) + ":" + each + "/u0a" + (Packages.get(each).uid - 10000) + "}");
            return 0;
        }
        if (what.equals("services") || what.equals("s") || what.equals("broadcasts") || what.equals("providers")) {
            call.out.println("ACTIVITY MANAGER " + what.toUpperCase(Locale.ROOT) + " (dumpsys activity " + what + ")");
            call.out.println("  (nothing)");
            return 0;
        }
        call.out.println("ACTIVITY MANAGER ACTIVITIES (dumpsys activity activities)");
        call.out.println("Display #0 (activities from top to bottom):");
        MainLoop.run(() -> {
            for (int t = Activities.tasks().size() - 1; t >= 0; t--) {
                Activities.Task task = Activities.tasks().get(t);
                call.out.println("  * Task{" + hash(task) + " #" + task.id + " type=standard A=10000:" + task.affinity + " U=0 visible=" + (t == Activities.tasks().size() - 1) + " mode=fullscreen sz=" + task.stack.size() + "}");
                for (int i = task.stack.size() - 1; i >= 0; i--) {
                    Activities.Record each = task.stack.get(i);
                    call.out.println("    * Hist  #" + i + ": " + record(each));
                    call.out.println("      packageName=" + each.app.packageName + " processName=" + each.app.packageName);
                    call.out.println("      Intent { " + Activities.describe(each.intent) + " }");
                }
            }
        });
        if (top != null) {
            if (Device.api() >= 34) {
                call.out.println("  topResumedActivity=" + record(top));
                call.out.println("  ResumedActivity: " + record(top));
            } else if (Device.api() >= 29) {
                call.out.println("  mResumedActivity: " + record(top));
                call.out.println("  ResumedActivity: " + record(top));
            } else {
                call.out.println("  mResumedActivity: " + record(top));
            }
        }
        return 0;
    }

    private static int display(Call call) {
        call.out.println("DISPLAY MANAGER (dumpsys display)");
        call.out.println("  mCurrentOrientation=" + Screen.rotation());
        call.out.println("  mBaseDisplayInfo=DisplayInfo{\"Built-in Screen\", displayId 0, real " + Screen.width() + " x " + Screen.height() + ", density " + Screen.density() + ", rotation " + Screen.rotation() + "}");
        return 0;
    }

    private static int accessibility(Call call) {
        String owner = UiAutomationServer.owner();
        call.out.println("ACCESSIBILITY MANAGER (dumpsys accessibility)");
        call.out.println();
        call.out.println("User state[");
        call.out.println("     attributes:{id=0, touchExplorationEnabled=false}");
        call.out.println("     Bound services:{}");
        if (owner != null) {
            call.out.println("  Ui Automation[eventTypes=TYPES_ALL_MASK, notificationTimeout=0]");
        }
        call.out.println("]");
        return 0;
    }

    static int dumpPackage(Call call, String name) {
        App app = Packages.get(name);
        if (app == null) {
            call.out.println("Unable to find package: " + name);
            return 0;
        }
        call.out.println("Activity Resolver Table:");
        call.out.println("  Non-Data Actions:");
        for (PackageParser.Activity each : app.parsed.activities) {
            for (PackageParser.ActivityIntentInfo filter : each.intents) {
                if (filter.hasAction("android.intent.action.MAIN")) {
                    call.out.println("      android.intent.action.MAIN:");
                    call.out.println("        " + hash(each) + " " + new android.content.ComponentName(name, each.info.name).flattenToShortString());
                }
            }
        }
        call.out.println("Packages:");
        call.out.println("  Package [" + name + "] (" + hash(app) + "):");
        call.out.println("    userId=" + app.uid);
        call.out.println("    codePath=" + app.apk.getParent());
        call.out.println("    versionCode=" + app.versionCode + " minSdk=" + app.minSdk + " targetSdk=" + app.targetSdk);
        call.out.println("    versionName=" + app.versionName);
        call.out.println("    firstInstallTime=" + new java.text.SimpleDateFormat("yyyy-MM-dd HH:mm:ss", Locale.ROOT).format(new java.util.Date(app.firstInstalled)));
        call.out.println("    installerPackageName=" + app.installer);
        call.out.println("    requested permissions:");
        for (String permission : app.parsed.requestedPermissions) call.out.println("      " + permission);
        call.out.println("    User 0: ceDataInode=1 installed=true hidden=false suspended=false stopped=" + !Processes.isRunning(name) + " notLaunched=false enabled=0");
        call.out.println("      runtime permissions:");
        for (String permission : app.parsed.requestedPermissions) call.out.println("        " + permission + ": granted=" + app.granted.contains(permission));
        return 0;
    }
}
