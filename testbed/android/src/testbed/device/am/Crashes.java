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
        StringWriter trace = new StringWriter();
        root.printStackTrace(new PrintWriter(trace));
        String owner = owner(root);
        if (owner == null && thread.equals("main")) owner = Activities.foregroundPackage();
        App app = owner == null ? null : Packages.get(owner);
        if (app == null || app.system) {
            LogBuffer.error("AndroidRuntime", "*** FATAL EXCEPTION IN SYSTEM PROCESS: " + thread + "\n" + trace);
            System.err.println("uncaught in " + thread + ": " + trace);
            return;
        }
        LogBuffer.add(Processes.pid(owner), 6, "AndroidRuntime",
                "FATAL EXCEPTION: " + thread + "\nProcess: " + owner + ", PID: " + Processes.pid(owner) + "\n" + trace);
        String name = owner;
        Throwable cause = root;
        boolean instrumented = Instruments.crashed(owner, cause);
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
