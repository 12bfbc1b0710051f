package testbed.device.am;

import android.app.Application;
import android.app.Instrumentation;
import android.content.ComponentName;
import android.content.Context;
import android.content.pm.PackageParser;
import android.os.Bundle;
import java.util.ArrayList;
import java.util.List;
import java.util.TreeSet;
import java.util.concurrent.CountDownLatch;
import testbed.device.Device;
import testbed.device.MainLoop;
import testbed.device.Reflect;
import testbed.device.a11y.UiAutomationServer;
import testbed.device.pm.App;
import testbed.device.pm.Packages;
import testbed.device.shell.Call;

/** `am instrument`: runs an APK's own Instrumentation and prints its records as the phone's tool does. */
public final class Instruments {
    private static final List<Run> RUNS = new ArrayList<>();

    /** One running instrumentation. */
    private static final class Run {
        final String packageName;
        final Call call;
        final boolean raw;
        final boolean wait;
        final CountDownLatch done = new CountDownLatch(1);
        Instrumentation instrumentation;

        Run(String packageName, Call call, boolean raw, boolean wait) {
            this.packageName = packageName;
            this.call = call;
            this.raw = raw;
            this.wait = wait;
        }

        synchronized void status(int code, Bundle results) {
            if (!wait || done.getCount() == 0) return;
            String stream = raw || results == null ? null : results.getString("stream");
            if (stream != null) {
                call.out.print(stream);
            } else {
                if (results != null) for (String key : new TreeSet<>(results.keySet())) call.out.println("INSTRUMENTATION_STATUS: " + key + "=" + results.get(key));
                call.out.println("INSTRUMENTATION_STATUS_CODE: " + code);
            }
            call.flush();
        }

        synchronized void end(int code, Bundle results) {
            if (done.getCount() == 0) return;
            if (wait) {
                String stream = raw || results == null ? null : results.getString("stream");
                if (stream != null) {
                    call.out.println(stream);
                } else {
                    if (results != null) for (String key : new TreeSet<>(results.keySet())) call.out.println("INSTRUMENTATION_RESULT: " + key + "=" + results.get(key));
                    call.out.println("INSTRUMENTATION_CODE: " + code);
                }
                call.flush();
            }
            done.countDown();
        }
    }

    private Instruments() {}

    public static int start(Call call, ComponentName component, Bundle arguments, boolean raw, boolean wait) throws Exception {
        App own = Packages.get(component.getPackageName());
        PackageParser.Instrumentation declared = own == null ? null : own.instrumentation(component);
        if (declared == null) return refuse(call, component, raw, wait, "Unable to find instrumentation info for: " + component);
        String targetName = declared.info.targetPackage;
        App target = Packages.get(targetName);
        if (target == null) return refuse(call, component, raw, wait, "Unable to find instrumentation target package: " + targetName);
        if (!target.signers.equals(own.signers)) {
            return refuse(call, component, raw, wait, "Permission Denial: starting instrumentation " + component + " from pid=1, uid=2000 not allowed because package "
                    + own.packageName + " does not have a signature matching the target " + targetName);
        }

        Processes.kill(targetName, "start instr");
        Run run = new Run(targetName, call, raw, wait);
        synchronized (RUNS) {
            RUNS.add(run);
        }
        // Without its shell command the automation connection has lost its other end.
        call.onAbandoned(() -> {
            if (run.done.getCount() > 0) UiAutomationServer.releaseIfOwner(targetName);
            run.done.countDown();
        });
        MainLoop.run(() -> {
            try {
                launch(run, own, target, component, arguments);
            } catch (Throwable failure) {
                Throwable cause = failure instanceof java.lang.reflect.InvocationTargetException ? failure.getCause() : failure;
                run.end(0, Crashes.report(cause));
                Crashes.onMainThread(cause);
            }
        });
        if (wait) run.done.await();
        return 0;
    }

    private static void launch(Run run, App own, App target, ComponentName component, Bundle arguments) throws Exception {
        Application application = AppRuntime.create(target);
        Context ownContext = own == target ? application.getBaseContext() : AppRuntime.context(own);
        Instrumentation instrumentation = (Instrumentation) (own == target ? target.loader : own.loader).loadClass(component.getClassName()).getDeclaredConstructor().newInstance();
        target.instrumentation = instrumentation;
        run.instrumentation = instrumentation;
        Object watcher = Reflect.play("android.app.IInstrumentationWatcher", (method, values) -> {
            if (method.equals("instrumentationStatus")) run.status((Integer) values[1], (Bundle) values[2]);
            if (method.equals("instrumentationFinished")) run.end((Integer) values[1], (Bundle) values[2]);
            return Reflect.UNKNOWN;
        });
        Reflect.call(instrumentation, "init", AppRuntime.thread(), ownContext, application, component, watcher, UiAutomationServer.connectionFor(target.packageName));
        instrumentation.onCreate(arguments);
        instrumentation.callApplicationOnCreate(application);
    }

    private static int refuse(Call call, ComponentName component, boolean raw, boolean wait, String error) {
        if (wait) {
            call.out.println("INSTRUMENTATION_STATUS: Error=" + error);
            call.out.println("INSTRUMENTATION_STATUS: id=ActivityManagerService");
            call.out.println("INSTRUMENTATION_STATUS_CODE: -1");
        }
        String failed = "INSTRUMENTATION_FAILED: " + component.flattenToString();
        if (raw) call.out.println("onError: commandError=true message=" + failed);
        call.err.println("android.util.AndroidException: " + failed);
        call.err.println("\tat com.android.commands.am.Instrument.run(Instrument.java:543)");
        call.err.println("\tat com.android.commands.am.Am.runInstrument(Am.java:202)");
        call.err.println("\tat com.android.commands.am.Am.onRun(Am.java:80)");
        return 1;
    }

    private static Run of(Instrumentation instrumentation) {
        synchronized (RUNS) {
            for (Run run : RUNS) if (run.instrumentation == instrumentation) return run;
        }
        return null;
    }

    /** A thread of a dead process must not finish anything. */
    public static void beforeFinish(Instrumentation instrumentation) {
        if (of(instrumentation) == null && instrumentation.getClass().getClassLoader() instanceof testbed.device.pm.AppClassLoader) throw new AppExit.Killed();
    }

    /** The instrumentation ended by itself; its process goes with it. */
    public static void finished(Instrumentation instrumentation, int code, Bundle results) {
        Run run = of(instrumentation);
        if (run == null) return;
        synchronized (RUNS) {
            RUNS.remove(run);
        }
        Processes.kill(run.packageName, "finished inst");
        run.end(code, results);
    }

    static boolean crashed(String packageName, Throwable failure) {
        return end(packageName, 0, Crashes.report(failure));
    }

    static void processDied(String packageName, String reason) {
        Bundle results = new Bundle();
        results.putString("shortMsg", "Process crashed.");
        end(packageName, 0, results);
    }

    private static boolean end(String packageName, int code, Bundle results) {
        List<Run> ended = new ArrayList<>();
        synchronized (RUNS) {
            for (Run run : RUNS) if (run.packageName.equals(packageName)) ended.add(run);
            RUNS.removeAll(ended);
        }
        for (Run run : ended) run.end(code, results);
        return !ended.isEmpty();
    }
}
