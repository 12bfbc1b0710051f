package testbed.device;

import android.os.Looper;
import java.io.File;
import java.nio.file.Files;
import testbed.device.a11y.AccessibilityServer;
import testbed.device.am.Activities;
import testbed.device.am.Crashes;
import testbed.device.ime.InputMethods;
import testbed.device.pm.Packages;
import testbed.device.shell.ShellServer;
import testbed.device.wm.Windows;

/** Brings the parts of system_server up in order, then becomes the main thread for good. */
public final class Device {
    private static int api;

    private Device() {}

    public static int api() {
        return api;
    }

    public static void run(int level) throws Exception {
        api = level;
        Clock.start();
        MainLoop.adopt(Looper.getMainLooper());
        Crashes.install();
        LogBuffer.install();
        Properties.load();
        Settings.load();
        AccessibilityServer.install();
        Windows.install();
        Packages.load();
        InputMethods.install();
        Activities.install();
        ShellServer.start(new File("/dev/socket/framework"));
        MainLoop.afterFirstIdle(() -> {
            Activities.home();
            Properties.set("sys.boot_completed", "1");
            Files.createFile(new File("/opt/device/run/ready").toPath());
        });
        MainLoop.run();
    }
}
