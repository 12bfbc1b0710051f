package testbed.boot;

import java.util.ArrayList;
import java.util.List;

/** Our replacements for stock shadows that stand in the way of real framework code. */
final class OwnShadows {
    private static final String ROOM = "testbed.device.shadow.";

    private OwnShadows() {}

    static List<String> names(int api) {
        List<String> names = new ArrayList<>();
        for (String name : new String[] {
            "RealUiAutomation", "RealInstrumentation", "RealSleep", "RealRecordSource", "AppLoadedApk", "AppContextImpl", "RealTabHost", "RealTabSpec", "RealActivity", "RealTabActivity", "UsKeyMap",
            "KernelOs", "KernelLocalSocket", "UnlockedUser"
        }) {
            names.add(ROOM + name);
        }
        if (api < 26) {
            names.add(ROOM + "FadingInterpolator");
            names.add(ROOM + "RobotoPaint");
        }
        return names;
    }
}
