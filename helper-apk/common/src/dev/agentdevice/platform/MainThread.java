package dev.agentdevice.platform;

import android.os.Handler;
import android.os.Looper;

import dev.agentdevice.session.Handover;

import java.util.concurrent.Callable;
import java.util.concurrent.Executor;
import java.util.concurrent.Executors;

/** Views and input connections belong to the app's main thread. */
public final class MainThread implements Executor {
    private static final long CALL_MS = 10000;

    private final Handler handler = new Handler(Looper.getMainLooper());

    @Override
    public void execute(Runnable work) {
        handler.post(work);
    }

    public void run(Runnable work) throws Exception {
        call(Executors.callable(work));
    }

    /** What the work returned or threw. */
    public <T> T call(Callable<T> work) throws Exception {
        if (Looper.myLooper() == Looper.getMainLooper()) {
            return work.call();
        }
        return Handover.call(this, work, CALL_MS, "the app's main thread is busy");
    }
}
