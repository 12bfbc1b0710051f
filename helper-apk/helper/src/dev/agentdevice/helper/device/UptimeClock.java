package dev.agentdevice.helper.device;

import android.os.SystemClock;

import dev.agentdevice.session.Clock;

/** The clock of input events. */
final class UptimeClock implements Clock {
    static final UptimeClock INSTANCE = new UptimeClock();

    private UptimeClock() {
    }

    @Override
    public long nowMs() {
        return SystemClock.uptimeMillis();
    }

    @Override
    public void sleepMs(long ms) throws InterruptedException {
        Thread.sleep(ms);
    }
}
