package testbed.device;

import testbed.device.am.Activities;
import testbed.device.ime.InputMethods;
import testbed.device.pm.Packages;
import testbed.device.shell.Call;
import testbed.device.shell.ClipboardCommand;
import testbed.device.wm.Screen;

/** What a user of the device has changed, undone: `device reset` costs a fraction of a start. */
public final class Reset {
    private Reset() {}

    public static int run(Call call) throws Exception {
        Faults.clear();
        Packages.reset();
        Properties.load();
        Settings.load();
        Screen.reset();
        InputMethods.reset();
        MainLoop.run(Activities::reset);
        ClipboardCommand.clear();
        // What was posted before comes to nothing by now, and what it said goes too.
        MainLoop.awaitIdle(MainLoop.PATIENCE_MILLIS);
        LogBuffer.clear();
        return 0;
    }
}
