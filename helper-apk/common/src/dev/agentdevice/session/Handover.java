package dev.agentdevice.session;

import java.util.concurrent.Callable;
import java.util.concurrent.ExecutionException;
import java.util.concurrent.Executor;
import java.util.concurrent.FutureTask;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.TimeoutException;
import java.util.concurrent.atomic.AtomicBoolean;

/** Has work done elsewhere, within a time. What has not begun by then never begins. */
public final class Handover {
    private Handover() {
    }

    /**
     * What the work returned or threw.
     *
     * @param busy what it means that the time is over
     * @throws NotBegunTimeoutException when the work was not begun in time
     * @throws TimeoutException when it was begun but not ended
     */
    public static <T> T call(Executor there, final Callable<T> work, long ms, String busy) throws Exception {
        final AtomicBoolean settled = new AtomicBoolean();
        FutureTask<T> task = new FutureTask<T>(new Callable<T>() {
            @Override
            public T call() throws Exception {
                return settled.compareAndSet(false, true) ? work.call() : null;
            }
        });
        there.execute(task);
        try {
            return task.get(ms, TimeUnit.MILLISECONDS);
        } catch (TimeoutException e) {
            if (settled.compareAndSet(false, true)) {
                throw new NotBegunTimeoutException(ms, ": " + busy);
            }
            throw new TimeoutException("not ended within " + ms + " ms: " + busy);
        } catch (ExecutionException e) {
            throw e.getCause() instanceof Exception ? (Exception) e.getCause() : e;
        }
    }
}
