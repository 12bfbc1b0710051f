package testbed.boot;

/** The machine's clock. The sandbox rewrites calls of System.nanoTime in its classes, so they come here for the truth. */
public final class RealTime {
    private RealTime() {}

    public static long nanos() {
        return System.nanoTime();
    }

    public static long wallMillis() {
        return System.currentTimeMillis();
    }

    public static void sleep(long millis) throws InterruptedException {
        Thread.sleep(millis);
    }
}
