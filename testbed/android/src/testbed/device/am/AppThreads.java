package testbed.device.am;

import android.os.Handler;
import android.os.Looper;
import android.os.Message;
import android.os.MessageQueue;
import java.util.ArrayList;
import java.util.Collection;
import java.util.List;
import java.util.concurrent.atomic.AtomicIntegerArray;
import org.robolectric.shadows.ShadowPausedLooper;
import testbed.boot.RealTime;
import testbed.device.MainLoop;
import testbed.device.Reflect;
import testbed.device.pm.AppClassLoader;

/**
 * Which threads belong to which app, so that they end with it. An app's threads carry its class loader, and its code asks in
 * every method and every loop whether its process still lives: AppCode puts the calls in.
 */
public final class AppThreads {
    private static final int PROCESSES = 1 << 16;
    private static final int DEAD = 1;
    /** Dead, and the main thread is inside the app's code: it is to leave. */
    private static final int UNWINDING = 2;
    private static final long REAP_MILLIS = 2000;
    private static final long RETRY_MILLIS = 20;

    private static final AtomicIntegerArray STATES = new AtomicIntegerArray(PROCESSES);
    private static final AppClassLoader[] LOADERS = new AppClassLoader[PROCESSES];
    private static int next = 1;

    private AppThreads() {}

    /** A number for a new process' code; it is written into the code. */
    public static synchronized int register(AppClassLoader loader) {
        int process = next++ % PROCESSES;
        STATES.set(process, 0);
        LOADERS[process] = loader;
        return process;
    }

    static AppClassLoader loader(int process) {
        return LOADERS[process];
    }

    /** Called from an app's code. */
    public static void check(int process) {
        int state = STATES.get(process);
        // What the framework still says to a dead app's views on the main thread is not worth the mess of an unwinding.
        if (state != 0 && (state == UNWINDING || !MainLoop.isMain())) throw new AppExit.Killed();
    }

    /** Around an app's call that may make a thread: threads inherit their maker's context class loader. */
    public static void enter(int process) {
        if (MainLoop.isMain()) Thread.currentThread().setContextClassLoader(LOADERS[process]);
    }

    public static void leave() {
        if (MainLoop.isMain()) Thread.currentThread().setContextClassLoader(AppThreads.class.getClassLoader());
    }

    /** For framework code that waits in an app's name: ends the wait of a dead one. */
    public static void checkCaller() {
        AppClassLoader loader = AppExit.callingLoader();
        if (loader != null) check(loader.process);
    }

    /** Ends an app's threads and what it has left for the main thread to do. */
    static void end(AppClassLoader loader) {
        boolean stuck = isMainInside(loader);
        STATES.set(loader.process, stuck ? UNWINDING : DEAD);
        if (stuck && !MainLoop.isMain()) unwindMain(loader);
        purge(loader);
        // A thread that ends its own process still has to say so; it dies at its next step.
        Thread caller = Thread.currentThread();
        Thread reaper = new Thread(() -> reap(loader, caller), "reaper");
        reaper.setDaemon(true);
        reaper.setContextClassLoader(AppThreads.class.getClassLoader());
        reaper.start();
    }

    private static boolean isMainInside(AppClassLoader loader) {
        if (MainLoop.isMain()) return false;
        for (StackTraceElement frame : Looper.getMainLooper().getThread().getStackTrace()) if (loader.owns(frame.getClassName())) return true;
        return false;
    }

    private static void unwindMain(AppClassLoader loader) {
        try {
            for (long waited = 0; waited < REAP_MILLIS && isMainInside(loader); waited += RETRY_MILLIS) {
                Looper.getMainLooper().getThread().interrupt();
                RealTime.sleep(RETRY_MILLIS);
            }
        } catch (InterruptedException e) {
            Thread.currentThread().interrupt();
        }
        STATES.set(loader.process, DEAD);
        MainLoop.post(() -> Thread.interrupted());
    }

    private static void reap(AppClassLoader loader, Thread spared) {
        try {
            for (long waited = 0; waited < REAP_MILLIS; waited += RETRY_MILLIS) {
                List<Thread> left = threads(loader);
                left.remove(spared);
                if (left.isEmpty()) break;
                for (Looper looper : loopers()) if (left.contains(looper.getThread())) looper.quit();
                for (Thread each : left) each.interrupt();
                RealTime.sleep(RETRY_MILLIS);
            }
        } catch (InterruptedException e) {
            Thread.currentThread().interrupt();
        }
        synchronized (AppThreads.class) {
            if (LOADERS[loader.process] == loader) LOADERS[loader.process] = null;
        }
    }

    private static Collection<Looper> loopers() {
        return new ArrayList<>(Reflect.<Collection<Looper>>call(ShadowPausedLooper.class, "getLoopers"));
    }

    static List<Thread> threads(AppClassLoader loader) {
        ThreadGroup root = Thread.currentThread().getThreadGroup();
        while (root.getParent() != null) root = root.getParent();
        Thread[] all = new Thread[root.activeCount() * 2 + 16];
        int count = root.enumerate(all, true);
        List<Thread> found = new ArrayList<>();
        for (int i = 0; i < count; i++) {
            boolean own = all[i].getContextClassLoader() == loader || all[i].getClass().getClassLoader() == loader;
            if (own && all[i] != Looper.getMainLooper().getThread()) found.add(all[i]);
        }
        return found;
    }

    /** Takes the app's messages out of the main thread's queue. */
    private static void purge(AppClassLoader loader) {
        MessageQueue queue = Looper.getMainLooper().getQueue();
        List<Message> messages = new ArrayList<>();
        synchronized (queue) {
            for (Message at = Reflect.get(queue, "mMessages"); at != null; at = Reflect.get(at, "next")) messages.add(at);
        }
        for (Message message : messages) {
            Handler target = message.getTarget();
            Runnable callback = message.getCallback();
            if (target == null) continue;
            if (isOf(loader, target) || isOf(loader, Reflect.get(target, "mCallback"))) target.removeCallbacksAndMessages(null);
            else if (isOf(loader, callback)) target.removeCallbacks(callback);
        }
    }

    static boolean isOf(AppClassLoader loader, Object object) {
        return object != null && object.getClass().getClassLoader() == loader;
    }
}
