package dev.agentdevice.helper.touch;

import dev.agentdevice.session.Clock;
import dev.agentdevice.session.Failure;

import java.util.List;

/**
 * Sends the events of a gesture at their times, and counts. A gesture that fails after its first event is cancelled, so that no
 * finger stays on the screen.
 */
public final class Injector {
    /** The platform's side. */
    public interface Screen {
        /** False when the platform did not take the event, or took it and saw no end of it. */
        boolean inject(MotionStep step, TouchPlan plan, long startMs);
    }

    private static final long MAX_SHIFT_MS = 2000;

    private final Screen screen;
    private final Clock clock;
    /** Events that the platform took. */
    private int injected;
    /** Events that were given to the platform: a refusal by timeout may come after the app saw the event. */
    private int attempted;

    /** The clock must be the one of event times. */
    public Injector(Screen screen, Clock clock) {
        this.screen = screen;
        this.clock = clock;
    }

    public int injected() {
        return injected;
    }

    public void run(TouchPlan plan, List<MotionStep> steps) throws Failure {
        long start = clock.nowMs();
        int before = attempted;
        long shift = 0;
        MotionStep last = null;
        try {
            for (MotionStep step : steps) {
                long early = start + shift + step.offsetMs - clock.nowMs();
                if (early > 0) {
                    clock.sleepMs(early);
                }
                last = step;
                attempted++;
                if (!screen.inject(step, plan, start)) {
                    throw new IllegalStateException("injectInputEvent returned false");
                }
                injected++;
                if (attempted == before + 1) {
                    // An app that was busy began to time its long press when it saw the finger, not when we sent it. The events
                    // keep their planned times and are delivered that much later.
                    shift = Math.max(0, Math.min(MAX_SHIFT_MS, clock.nowMs() - start));
                }
            }
        } catch (SecurityException e) {
            // Checked by the platform before it does anything with the event.
            attempted--;
            cancel(plan, last, start, before);
            throw failure(e);
        } catch (InterruptedException e) {
            cancel(plan, last, start, before);
            Thread.currentThread().interrupt();
            throw failure(e);
        } catch (RuntimeException e) {
            cancel(plan, last, start, before);
            throw failure(e);
        }
    }

    private void cancel(TouchPlan plan, MotionStep last, long start, int before) {
        if (attempted == before || last == null) {
            return;
        }
        int pointers = last.action == MotionStep.SECOND_UP ? 1 : last.pointers;
        try {
            long now = Math.max(last.offsetMs, clock.nowMs() - start);
            screen.inject(new MotionStep(MotionStep.CANCEL, now, last.downOffsetMs, last.sample, pointers, true), plan, start);
        } catch (RuntimeException e) {
            // The first failure is the one to tell.
        }
    }

    private Failure failure(Exception e) {
        Failure failure = attempted == 0 ? Failure.beforeStart(e) : Failure.afterStart(e);
        return failure.with("injectedEvents", injected).with("attemptedEvents", attempted);
    }
}
