package dev.agentdevice.session;

/** Monotonic time, so that tests need no waiting. */
public interface Clock {
    long nowMs();

    void sleepMs(long ms) throws InterruptedException;

    /** The clock of the process. On Android its epoch is that of SystemClock.uptimeMillis only by accident: never mix them. */
    Clock SYSTEM = new Clock() {
        @Override
        public long nowMs() {
            return System.nanoTime() / 1000000;
        }

        @Override
        public void sleepMs(long ms) throws InterruptedException {
            Thread.sleep(ms);
        }
    };
}
