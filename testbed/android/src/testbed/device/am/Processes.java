package testbed.device.am;

import java.io.IOException;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.TreeMap;
import java.util.concurrent.TimeUnit;
import testbed.device.LogBuffer;
import testbed.device.MainLoop;
import testbed.device.a11y.UiAutomationServer;
import testbed.device.ime.InputMethods;
import testbed.device.pm.App;
import testbed.device.pm.AppClassLoader;
import testbed.device.pm.Packages;

/**
 * Which apps run. All share this JVM, but each has a small process of its own on the device: pidof and ps see it, killing it
 * kills the app, and the app's death ends it.
 */
public final class Processes {
    private static final Map<String, Running> RUNNING = new TreeMap<>();

    /** A socket of an app: it goes with the app's process. */
    interface Connection extends AutoCloseable {
        boolean isOpen();

        boolean isListening();

        /** Ends it under the app's hands. */
        void reset() throws IOException;
    }

    /** One app's process. */
    private static final class Running {
        final Process held;
        final List<Connection> connections = new ArrayList<>();

        Running(Process held) {
            this.held = held;
        }
    }

    private Processes() {}

    /** Starts the app's process if it doesn't run. */
    static synchronized void start(App app) {
        if (RUNNING.containsKey(app.packageName) || app.system) return;
        try {
            Process held = new ProcessBuilder("/system/bin/device-client", "--hold", app.packageName).start();
            RUNNING.put(app.packageName, new Running(held));
            LogBuffer.add(1, 4, "ActivityManager", "Start proc " + held.pid() + ":" + app.packageName + "/u0a" + (app.uid - 10000));
            held.onExit().thenRun(() -> {
                if (current(app.packageName, held)) MainLoop.post(() -> kill(app.packageName, "process died"));
            });
        } catch (IOException e) {
            LogBuffer.error("ActivityManager", "no process for " + app.packageName + ": " + e);
        }
    }

    private static synchronized boolean current(String name, Process held) {
        Running running = RUNNING.get(name);
        return running != null && running.held == held;
    }

    public static synchronized boolean isRunning(String packageName) {
        return RUNNING.containsKey(packageName);
    }

    public static synchronized int pid(String packageName) {
        Running running = RUNNING.get(packageName);
        return running == null ? 0 : (int) running.held.pid();
    }

    /** Whose process it is; those of the system are root's and the system's. */
    public static synchronized int uid(int pid) {
        for (Map.Entry<String, Running> each : RUNNING.entrySet()) if (each.getValue().held.pid() == pid) return Packages.get(each.getKey()).uid;
        return 1000;
    }

    public static synchronized List<String> names() {
        return new ArrayList<>(RUNNING.keySet());
    }

    /** Whose log line it is: the app whose code is on the stack, else the framework. */
    public static int currentPid() {
        String caller = AppExit.callingApp();
        int pid = caller == null ? 0 : pid(caller);
        return pid == 0 ? (int) ProcessHandle.current().pid() : pid;
    }

    static synchronized void own(String packageName, Connection connection) {
        Running running = RUNNING.get(packageName);
        if (running == null) return;
        running.connections.removeIf(each -> !each.isOpen());
        running.connections.add(connection);
    }

    /** Resets every connection that the app has, and leaves the app alone. */
    public static void resetSockets(String packageName) throws IOException {
        List<Connection> connections;
        synchronized (Processes.class) {
            Running running = RUNNING.get(packageName);
            connections = running == null ? new ArrayList<>() : new ArrayList<>(running.connections);
        }
        for (Connection each : connections) if (each.isOpen() && !each.isListening()) each.reset();
    }

    /** Nobody is to see a process that has been killed. */
    private static void end(Process held) {
        try {
            held.destroyForcibly().waitFor(2, TimeUnit.SECONDS);
        } catch (InterruptedException e) {
            Thread.currentThread().interrupt();
        }
    }

    /** Ends an app at once, without a word to it. */
    public static void kill(String packageName, String reason) {
        Running running;
        synchronized (Processes.class) {
            running = RUNNING.remove(packageName);
        }
        App app = Packages.get(packageName);
        Instruments.processDied(packageName, reason);
        if (running != null) {
            LogBuffer.add(1, 4, "ActivityManager", "Killing " + running.held.pid() + ":" + packageName + ": " + reason);
            end(running.held);
            for (Connection each : running.connections) {
                try {
                    each.close();
                } catch (Exception e) {
                    // It was closed already.
                }
            }
        }
        AppClassLoader loader = app == null ? null : app.loader;
        if (loader != null) AppThreads.end(loader);
        UiAutomationServer.releaseIfOwner(packageName);
        InputMethods.processDied(packageName);
        MainLoop.run(() -> {
            if (loader != null) Broadcasts.forget(loader);
            Activities.processDied(packageName);
            if (app != null) app.forgetProcess();
        });
    }
}
