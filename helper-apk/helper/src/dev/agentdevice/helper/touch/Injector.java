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
        boolean inject(MotionStep step, TouchPlan plan, long downTimeMs);
    }

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
        long down = clock.nowMs();
        int before = attempted;
        MotionStep last = null;
        try {
            for (MotionStep step : steps) {
                long early = down + step.offsetMs - clock.nowMs();
                if (early > 0) {
                    clock.sleepMs(early);
                }
                last = step;
                attempted++;
                if (!screen.inject(step, plan, down)) {
                    throw new IllegalStateException("injectInputEvent returned false");
                }
                injected++;
            }
        } catch (SecurityException e) {
            // Checked by the platform before it does anything with the event.
            attempted--;
            cancel(plan, last, down, before);
            throw failure(e);
        } catch (InterruptedException e) {
            cancel(plan, last, down, before);
            Thread.currentThread().interrupt();
            throw failure(e);
        } catch (RuntimeException e) {
            cancel(plan, last, down, before);
            throw failure(e);
        }
    }

    private void cancel(TouchPlan plan, MotionStep last, long down, int before) {
        if (attempted == before || last == null) {
            return;
        }
        int pointers = last.action == MotionStep.SECOND_UP ? 1 : last.pointers;
        try {
            long now = Math.max(last.offsetMs, clock.nowMs() - down);
            screen.inject(new MotionStep(MotionStep.CANCEL, now, last.sample, pointers, true), plan, down);
        } catch (RuntimeException e) {
            // The first failure is the one to tell.
        }
    }

    private Failure failure(Exception e) {
        Failure failure = attempted == 0 ? Failure.beforeStart(e) : Failure.afterStart(e);
        return failure.with("injectedEvents", injected).with("attemptedEvents", attempted);
    }
}
