package testbed.device;

import testbed.device.shell.Call;

/** Odd states on demand. */
public final class Faults {
    private Faults() {}

    /** True = the command is to vanish without an exit code. */
    public static boolean intercept(Call call) {
        return false;
    }

    public static String command(String[] words) {
        return "unknown fault";
    }
}
