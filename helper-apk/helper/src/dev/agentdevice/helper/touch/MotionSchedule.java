package dev.agentdevice.helper.touch;

import java.util.ArrayList;
import java.util.List;

/** Turns a plan into the events that a touchscreen would have sent. */
public final class MotionSchedule {
    /** Fingers do not land and leave in the same instant; recognisers of two-finger gestures count on it. */
    private static final long SECOND_FINGER_MS = 8;

    private MotionSchedule() {
    }

    public static List<MotionStep> of(TouchPlan plan) {
        List<MotionStep> steps = new ArrayList<MotionStep>(plan.samples() + 3);
        int last = plan.samples() - 1;
        int pointers = plan.pointers();
        boolean two = pointers == 2;
        long time = 0;
        steps.add(new MotionStep(MotionStep.DOWN, 0, 0, 1, true));
        if (two) {
            time = Math.max(1, Math.min(SECOND_FINGER_MS, plan.offsetsMs[1] - 1));
            steps.add(new MotionStep(MotionStep.SECOND_DOWN, time, 0, 2, true));
        }
        for (int i = 1; i <= last; i++) {
            // A plan without duration has all its samples at 0, where the second finger was not yet down.
            time = Math.max(time, plan.offsetsMs[i]);
            steps.add(new MotionStep(MotionStep.MOVE, time, i, pointers, !two || i == last));
        }
        if (two) {
            steps.add(new MotionStep(MotionStep.SECOND_UP, time, last, 2, true));
            time += SECOND_FINGER_MS;
        }
        steps.add(new MotionStep(MotionStep.UP, time, last, 1, true));
        return steps;
    }

    /**
     * Presses in place: DOWN and UP only, since a MOVE would be one more thing that a recogniser can trip over. Only the last
     * event of several presses waits until it has been handled: what the app does about the first press must not move the
     * second one out of the time of a double tap.
     */
    public static List<MotionStep> ofPresses(int holdMs, int count, int gapMs) {
        List<MotionStep> steps = new ArrayList<MotionStep>(2 * count);
        for (int i = 0; i < count; i++) {
            long down = (long) i * (holdMs + gapMs);
            steps.add(new MotionStep(MotionStep.DOWN, down, down, 0, 1, count == 1));
            steps.add(new MotionStep(MotionStep.UP, down + holdMs, down, 1, 1, i == count - 1));
        }
        return steps;
    }
}
