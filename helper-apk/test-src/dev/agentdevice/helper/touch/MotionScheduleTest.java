package dev.agentdevice.helper.touch;

import static org.junit.Assert.assertEquals;
import static org.junit.Assert.assertTrue;

import org.junit.Test;

import java.util.List;

public class MotionScheduleTest {
    private static TouchPlan plan(int pointers, int... offsets) {
        StringBuilder json = new StringBuilder("{\"kind\":\"" + (pointers == 1 ? "swipe" : "transform") + "\",\"durationMs\":"
                + offsets[offsets.length - 1] + ",\"pointers\":[");
        for (int i = 0; i < pointers; i++) {
            json.append(i == 0 ? "" : ",").append("{\"pointerId\":" + i + ",\"samples\":[");
            for (int s = 0; s < offsets.length; s++) {
                json.append(s == 0 ? "" : ",").append("{\"offsetMs\":" + offsets[s] + ",\"x\":" + s + ",\"y\":0}");
            }
            json.append("]}");
        }
        return TouchPlan.fromJson(json.append("]}").toString());
    }

    private static String of(TouchPlan plan) {
        List<MotionStep> steps = MotionSchedule.of(plan);
        long last = 0;
        for (MotionStep step : steps) {
            assertTrue("time goes back: " + steps, step.offsetMs >= last);
            last = step.offsetMs;
        }
        return steps.toString();
    }

    @Test
    public void oneFingerGoesDownMovesAndLeaves() {
        assertEquals("[0@0 sample 0 x1 waits, 2@16 sample 1 x1 waits, 2@32 sample 2 x1 waits, 1@32 sample 2 x1 waits]",
                of(plan(1, 0, 16, 32)));
    }

    @Test
    public void twoFingersComeAndGoOneAfterTheOther() {
        assertEquals("[0@0 sample 0 x1 waits, 261@8 sample 0 x2 waits, 2@16 sample 1 x2, 2@32 sample 2 x2 waits,"
                + " 262@32 sample 2 x2 waits, 1@40 sample 2 x1 waits]", of(plan(2, 0, 16, 32)));
    }

    @Test
    public void theSecondFingerIsThereBeforeTheFirstMove() {
        assertTrue(of(plan(2, 0, 5, 10)).contains("261@4 "));
        assertTrue(of(plan(2, 0, 1, 10)).contains("261@1 "));
        assertTrue(of(plan(2, 0, 100)).contains("261@8 "));
    }

    @Test
    public void aPlanWithoutDurationStillGoesForward() {
        assertEquals("[0@0 sample 0 x1 waits, 261@1 sample 0 x2 waits, 2@1 sample 1 x2 waits, 262@1 sample 1 x2 waits,"
                + " 1@9 sample 1 x1 waits]", of(plan(2, 0, 0)));
    }

    @Test
    public void thereIsOneEventMoreThanSamplesAndThreeForTwoFingers() {
        assertEquals(4, MotionSchedule.of(plan(1, 0, 16, 32)).size());
        assertEquals(6, MotionSchedule.of(plan(2, 0, 16, 32)).size());
    }

    @Test
    public void aPressIsDownAndUp() {
        assertEquals("[0@0 sample 0 x1 waits, 1@800 sample 1 x1 waits]",
                MotionSchedule.ofPresses(800, 1, 80).toString());
    }

    @Test
    public void aDoubleTapKeepsItsPaceAndEachPressItsOwnDown() {
        List<MotionStep> steps = MotionSchedule.ofPresses(16, 2, 80);
        assertEquals("[0@0 sample 0 x1, 1@16 sample 1 x1, 0@96 sample 0 x1, 1@112 sample 1 x1 waits]", steps.toString());
        assertEquals(0, steps.get(1).downOffsetMs);
        assertEquals(96, steps.get(3).downOffsetMs);
    }
}
