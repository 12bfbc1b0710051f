package testbed.device;

import java.util.HashMap;
import java.util.HashSet;
import java.util.Map;
import java.util.Set;
import testbed.boot.RealTime;
import testbed.device.a11y.UiAutomationServer;
import testbed.device.am.Activities;
import testbed.device.am.Crashes;
import testbed.device.am.Processes;
import testbed.device.ime.InputMethods;
import testbed.device.pm.App;
import testbed.device.pm.Packages;
import testbed.device.shell.Call;
import testbed.device.wm.SystemDialogs;

/** Odd states on demand, ordered beside adb with `device fault`. */
public final class Faults {
    private static final Set<String> ON = new HashSet<>();
    private static final Map<String, Long> DELAYS = new HashMap<>();
    private static final Map<String, String> ENDS = new HashMap<>();
    private static Process owner;
    /** Steps that were ordered for later count only as long as nothing was cleared. */
    private static int clearings;

    private Faults() {}

    public static synchronized boolean isOn(String name) {
        return ON.contains(name);
    }

    /** Delays and ends shell commands. True = the command is to vanish without an exit code. */
    public static boolean intercept(Call call) throws InterruptedException {
        if (call.name.equals("fault") || call.name.equals("reset")) return false;
        long delay;
        String end;
        synchronized (Faults.class) {
            delay = DELAYS.getOrDefault(call.name, DELAYS.getOrDefault("all", 0L));
            end = ENDS.get(call.name);
            if (end != null && !end.equals("hang")) ENDS.remove(call.name);
        }
        if (delay > 0) RealTime.sleep(delay);
        if (end == null) return false;
        if (end.equals("hang")) {
            while (!call.abandoned() && isEnding(call.name)) RealTime.sleep(20);
            return true;
        }
        if (end.equals("after")) testbed.device.shell.Commands.run(call);
        return true;
    }

    private static synchronized boolean isEnding(String name) {
        return ENDS.containsKey(name);
    }

    public static int run(Call call) throws Exception {
        String fault = call.required("fault");
        switch (fault) {
            case "slow":
                synchronized (Faults.class) {
                    long millis = Long.parseLong(call.required(fault));
                    String name = call.peek() == null ? "all" : call.next();
                    if (millis == 0) DELAYS.remove(name);
                    else DELAYS.put(name, millis);
                }
                return 0;
            case "hang":
            case "die-before":
            case "die-after":
                synchronized (Faults.class) {
                    ENDS.put(call.required(fault), fault.equals("hang") ? "hang" : fault.substring(4));
                }
                return 0;
            case "refuse-installs":
                Packages.refuse(call.peek() == null ? "INSTALL_FAILED_USER_RESTRICTED" : call.next());
                return 0;
            case "ui-owner":
                return owner(call.required(fault));
            case "crash":
                return crash(call.required(fault));
            case "anr": {
                App app = running(call.required(fault));
                SystemDialogs.notResponding(app);
                return 0;
            }
            case "front": {
                String name = call.required(fault);
                later(call, () -> Activities.bring(name));
                return 0;
            }
            case "permission": {
                App app = running(call.required(fault));
                String permission = call.required(fault);
                later(call, () -> Activities.askFor(app, permission));
                return 0;
            }
            case "block": {
                long millis = Long.parseLong(call.required(fault));
                MainLoop.post(() -> RealTime.sleep(millis));
                return 0;
            }
            case "reset-sockets":
                Processes.resetSockets(call.required(fault));
                return 0;
            case "keyboard-search":
                InputMethods.openSearch();
                return 0;
            case "no-clipboard":
                synchronized (Faults.class) {
                    ON.add(fault);
                }
                return 0;
            case "clear":
                clear();
                return 0;
            default:
                throw new IllegalArgumentException("no fault " + fault);
        }
    }

    static void clear() throws java.io.IOException {
        synchronized (Faults.class) {
            ON.clear();
            DELAYS.clear();
            ENDS.clear();
            clearings++;
        }
        Packages.refuse(null);
        InputMethods.closeSearch();
        owner("none");
    }

    private static synchronized int clearings() {
        return clearings;
    }

    /** Now, or after as many milliseconds as the next word says: in the middle of something. */
    private static void later(Call call, MainLoop.Step step) throws Exception {
        int since = clearings();
        if (call.peek() == null) MainLoop.run(step);
        else MainLoop.postDelayed(() -> {
            if (since == clearings()) step.run();
        }, Long.parseLong(call.next()));
    }

    private static App running(String name) {
        App app = Packages.get(name);
        if (app == null || !Processes.isRunning(name)) throw new IllegalArgumentException(name + " doesn't run");
        return app;
    }

    private static int crash(String name) {
        running(name);
        MainLoop.post(() -> Crashes.of(name, new RuntimeException("a crash on demand")));
        return 0;
    }

    /** Another tool holds the one UiAutomation slot, and its process can be seen. */
    private static int owner(String name) throws java.io.IOException {
        if (owner != null) {
            owner.destroyForcibly();
            owner = null;
            UiAutomationServer.release();
        }
        if (name.equals("none")) return 0;
        owner = new ProcessBuilder("/system/bin/device-client", "--hold", name).start();
        UiAutomationServer.occupy(name);
        return 0;
    }
}
