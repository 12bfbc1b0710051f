package testbed.device;

import android.os.SystemClock;
import testbed.boot.RealTime;

/** Drives the framework's clock, which stands still by itself, from the machine's. */
public final class Clock {
    private static final long TICK_MILLIS = 4;
    private static final long BOOT = RealTime.nanos() / 1_000_000 - 1000;

    private Clock() {}

    /** Milliseconds since the device started, as uptimeMillis will be at the next tick. */
    public static long now() {
        return RealTime.nanos() / 1_000_000 - BOOT;
    }

    static void start() {
        SystemClock.setCurrentTimeMillis(now());
        Thread thread = new Thread(() -> {
            while (true) {
                try {
                    RealTime.sleep(TICK_MILLIS);
                    SystemClock.setCurrentTimeMillis(now());
                    MainLoop.interject();
                } catch (InterruptedException e) {
                    return;
                } catch (RuntimeException e) {
                    // A listener of the clock threw: time must go on for everyone else.
                    LogBuffer.error("Clock", e.toString());
                }
            }
        }, "clock");
        thread.setDaemon(true);
        thread.setPriority(Thread.MAX_PRIORITY);
        thread.start();
    }
}
