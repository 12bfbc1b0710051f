package dev.agentdevice.platform;

import android.os.Handler;
import android.os.Looper;

import java.util.concurrent.Callable;
import java.util.concurrent.ExecutionException;
import java.util.concurrent.Executors;
import java.util.concurrent.FutureTask;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.TimeoutException;

/** Views and input connections belong to the app's main thread. */
public final class MainThread {
    private static final long CALL_MS = 10000;

    private final Handler handler = new Handler(Looper.getMainLooper());

    public void run(Runnable work) throws Exception {
        call(Executors.callable(work));
    }

    /** What the work returned or threw. */
    public <T> T call(Callable<T> work) throws Exception {
        if (Looper.myLooper() == Looper.getMainLooper()) {
            return work.call();
        }
        FutureTask<T> task = new FutureTask<T>(work);
        handler.post(task);
        try {
            return task.get(CALL_MS, TimeUnit.MILLISECONDS);
        } catch (TimeoutException e) {
            // What has not begun must not happen after its failure was told.
            task.cancel(false);
            throw new TimeoutException("the app's main thread is busy");
        } catch (ExecutionException e) {
            if (e.getCause() instanceof Exception) {
                throw (Exception) e.getCause();
            }
            throw e;
        }
    }
}
