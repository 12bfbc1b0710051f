package testbed.device.shell;

import testbed.device.pm.App;
import testbed.device.pm.Packages;

/** dumpsys, as far as hosts read it. */
final class DumpCommand {
    private DumpCommand() {}

    static int dumpPackage(Call call, String name) {
        App app = Packages.get(name);
        if (app == null) {
            call.out.println("Unable to find package: " + name);
            return 0;
        }
        call.out.println("Packages:");
        call.out.println("  Package [" + name + "]:");
        call.out.println("    userId=" + app.uid);
        call.out.println("    codePath=" + app.apk.getParent());
        call.out.println("    versionCode=" + app.versionCode + " minSdk=" + app.minSdk + " targetSdk=" + app.targetSdk);
        call.out.println("    versionName=" + app.versionName);
        call.out.println("    runtime permissions:");
        for (String permission : app.parsed.requestedPermissions) call.out.println("      " + permission + ": granted=" + app.granted.contains(permission));
        return 0;
    }
}
