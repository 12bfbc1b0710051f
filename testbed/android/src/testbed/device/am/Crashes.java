package testbed.device.am;

import android.os.Bundle;
import java.io.PrintWriter;
import java.io.StringWriter;
import testbed.device.LogBuffer;
import testbed.device.MainLoop;
import testbed.device.pm.App;
import testbed.device.pm.Packages;
import testbed.device.wm.SystemDialogs;

/** An exception that no app caught: its process dies, the device lives on. */
public final class Crashes {
    private Crashes() {}

    public static void install() {
        Thread.setDefaultUncaughtExceptionHandler((thread, failure) -> handle(thread.getName(), failure));
    }

    public static void onMainThread(Throwable failure) {
        handle("main", failure);
    }

    private static void handle(String thread, Throwable failure) {
        Throwable root = failure;
        while (root.getCause() != null && (root instanceof IllegalStateException && root.getMessage() != null && root.getMessage().startsWith(root.getCause().getClass().getName()))) {
            root = root.getCause();
        }
        if (root instanceof AppExit.Killed) return;
        String owner = owner(root);
        if (owner == null && thread.equals("main")) owner = Activities.foregroundPackage();
        if (owner != null && Packages.get(owner) != null && !Packages.get(owner).system) {
            die(owner, thread, root);
            return;
        }
        LogBuffer.error("AndroidRuntime", "*** FATAL EXCEPTION IN SYSTEM PROCESS: " + thread + "\n" + trace(root));
        System.err.println("uncaught in " + thread + ": " + trace(root));
    }

    /** An app dies of an exception that is laid at its door. */
    public static void of(String packageName, Throwable failure) {
        die(packageName, "main", failure);
    }

    private static String trace(Throwable failure) {
        StringWriter trace = new StringWriter();
        failure.printStackTrace(new PrintWriter(trace));
        return trace.toString();
    }

    private static void die(String name, String thread, Throwable failure) {
        App app = Packages.get(name);
        LogBuffer.add(Processes.pid(name), 6, "AndroidRuntime",
                "FATAL EXCEPTION: " + thread + "\nProcess: " + name + ", PID: " + Processes.pid(name) + "\n" + trace(failure));
        boolean instrumented = Instruments.crashed(name, failure);
        MainLoop.post(() -> {
            Processes.kill(name, "crash");
            if (!instrumented) SystemDialogs.crashed(app);
        });
    }

    /** The app whose own code stands nearest to the throw. */
    private static String owner(Throwable failure) {
        for (Throwable at = failure; at != null; at = at.getCause()) {
            for (StackTraceElement frame : at.getStackTrace()) {
                for (String name : Processes.names()) {
                    App app = Packages.get(name);
                    if (app != null && app.loader != null && app.loader.owns(frame.getClassName())) return name;
                }
            }
        }
        return null;
    }

    /** The report that an instrumentation's caller gets. */
    static Bundle report(Throwable failure) {
        Bundle bundle = new Bundle();
        bundle.putString("shortMsg", failure.getClass().getName());
        bundle.putString("longMsg", failure.toString());
        return bundle;
    }
}
