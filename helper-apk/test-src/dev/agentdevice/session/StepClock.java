package dev.agentdevice.session;

/** Time that passes only by sleeping. */
public class StepClock implements Clock {
    public long now;

    @Override
    public long nowMs() {
        return now;
    }

    @Override
    public void sleepMs(long ms) {
        now += ms;
    }
}
