package testbed.device;

import android.os.Handler;
import android.os.Looper;
import java.util.concurrent.Callable;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.ExecutionException;
import java.util.concurrent.FutureTask;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.TimeoutException;
import java.util.concurrent.atomic.AtomicBoolean;
import org.robolectric.shadow.api.Shadow;
import org.robolectric.shadows.ShadowPausedLooper;
import testbed.boot.RealTime;
import testbed.device.am.Activities;
import testbed.device.am.Crashes;
import testbed.device.ime.InputMethods;
import testbed.device.wm.Windows;

/** The main thread of everything on the device: every app's, and system_server's as well. */
public final class MainLoop {
    /** How long a shell command waits for the main thread before it says that the app doesn't answer. */
    public static final long PATIENCE_MILLIS = 20_000;

    private static final long POLL_MILLIS = 4;
    private static final long PAUSE_MILLIS = 50;
    private static final AtomicBoolean interjected = new AtomicBoolean();
    private static Looper looper;
    private static Handler handler;
    private static Step first;
    private static volatile long idleAt;
    private static volatile long busySince;

    /** Work that may fail. */
    public interface Step {
        void run() throws Exception;
    }

    private MainLoop() {}

    static void adopt(Looper main) {
        looper = main;
        // Asynchronous messages pass the barrier that a pending layout puts into the queue.
        handler = Device.api() >= 28 ? Handler.createAsync(main) : Reflect.create(Handler.class, Looper.class, main, Handler.Callback.class, null, boolean.class, true);
    }

    static void afterFirstIdle(Step step) {
        first = step;
    }

    static void run() {
        ShadowPausedLooper shadow = Shadow.extract(looper);
        while (true) {
            try {
                busySince = RealTime.nanos();
                shadow.idle();
                if (first != null) {
                    Step step = first;
                    first = null;
                    step.run();
                }
                housekeep();
            } catch (Throwable failure) {
                Crashes.onMainThread(failure);
            }
            busySince = 0;
            idleAt = RealTime.nanos();
            shadow.poll(POLL_MILLIS);
        }
    }

    /** What the system does between an app's steps. */
    private static void housekeep() throws Exception {
        Activities.tick();
        Windows.tick();
        InputMethods.tick();
    }

    /** Called by the clock. An app that draws without a pause leaves no queue empty: the system still gets its turn. */
    static void interject() {
        if (busyMillis() < PAUSE_MILLIS || !interjected.compareAndSet(false, true)) return;
        post(() -> {
            interjected.set(false);
            housekeep();
        });
    }

    /** Since when the main thread has been at one stretch of work, in milliseconds; 0 = it is idle. */
    public static long busyMillis() {
        long since = busySince;
        return since == 0 ? 0 : (RealTime.nanos() - since) / 1_000_000;
    }

    public static boolean isMain() {
        return Thread.currentThread() == looper.getThread();
    }

    public static void post(Step step) {
        handler.post(() -> {
            try {
                step.run();
            } catch (Exception e) {
                throw Reflect.unchecked(e);
            }
        });
    }

    public static void postDelayed(Step step, long millis) {
        handler.postDelayed(() -> {
            try {
                step.run();
            } catch (Exception e) {
                throw Reflect.unchecked(e);
            }
        }, millis);
    }

    /** Runs on the main thread and waits for the answer. */
    public static <T> T call(Callable<T> work) {
        return call(work, PATIENCE_MILLIS);
    }

    public static <T> T call(Callable<T> work, long patienceMillis) {
        try {
            if (isMain()) return work.call();
            FutureTask<T> task = new FutureTask<>(work);
            handler.post(task);
            return task.get(patienceMillis, TimeUnit.MILLISECONDS);
        } catch (ExecutionException e) {
            throw Reflect.unchecked(e.getCause());
        } catch (TimeoutException e) {
            throw new IllegalStateException("the main thread did not answer in " + patienceMillis + " ms");
        } catch (Exception e) {
            throw Reflect.unchecked(e);
        }
    }

    public static void run(Step step) {
        call(() -> {
            step.run();
            return null;
        });
    }

    /** Waits until the queue was empty once after this call. */
    public static void awaitIdle(long patienceMillis) {
        if (isMain()) return;
        long asked = RealTime.nanos();
        CountDownLatch latch = new CountDownLatch(1);
        handler.post(latch::countDown);
        try {
            if (!latch.await(patienceMillis, TimeUnit.MILLISECONDS)) return;
            while (idleAt < asked && RealTime.nanos() - asked < patienceMillis * 1_000_000) RealTime.sleep(1);
        } catch (InterruptedException e) {
            Thread.currentThread().interrupt();
        }
    }
}
