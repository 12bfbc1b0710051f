package dev.agentdevice.helper.touch;

import static org.junit.Assert.assertEquals;
import static org.junit.Assert.assertFalse;
import static org.junit.Assert.assertSame;
import static org.junit.Assert.assertTrue;
import static org.junit.Assert.fail;

import dev.agentdevice.session.Failure;
import dev.agentdevice.session.StepClock;

import org.junit.Test;

import java.util.ArrayList;
import java.util.List;

public class InjectorTest {
    private static final class FakeScreen extends StepClock implements Injector.Screen {
        final List<String> seen = new ArrayList<String>();
        int failAt = -1;
        RuntimeException thrown;
        long firstTakesMs;

        FakeScreen() {
            now = 1000;
        }

        @Override
        public boolean inject(MotionStep step, TouchPlan plan, long downTimeMs) {
            seen.add(step.action + "@" + (now - 1000) + "x" + step.pointers);
            now += seen.size() == 1 ? firstTakesMs : 0;
            if (step.action == MotionStep.CANCEL || seen.size() - 1 != failAt) {
                return true;
            }
            if (thrown != null) {
                throw thrown;
            }
            return false;
        }
    }

    private final FakeScreen screen = new FakeScreen();
    private final Injector injector = new Injector(screen, screen);

    private void play(String kind) throws Failure {
        String samples = "\"samples\":[{\"offsetMs\":0,\"x\":0,\"y\":0},{\"offsetMs\":16,\"x\":1,\"y\":1},{\"offsetMs\":40,\"x\":1,\"y\":1}]";
        String second = kind.equals("swipe") ? "" : ",{\"pointerId\":1," + samples + "}";
        TouchPlan plan = TouchPlan.fromJson("{\"kind\":\"" + kind + "\",\"durationMs\":40,\"pointers\":[{\"pointerId\":0," + samples + "}"
                + second + "]}");
        injector.run(plan, MotionSchedule.of(plan));
    }

    private Failure failing(String kind) {
        try {
            play(kind);
        } catch (Failure e) {
            return e;
        }
        fail("no failure");
        return null;
    }

    @Test
    public void eventsAreSentAtTheirTimes() throws Exception {
        play("transform");
        assertEquals("[0@0x1, 261@8x2, 2@16x2, 2@40x2, 262@40x2, 1@48x1]", screen.seen.toString());
        assertEquals(6, injector.injected());
    }

    @Test
    public void anAppThatWasBusyStillSeesTheWholeHold() throws Exception {
        screen.firstTakesMs = 350;
        injector.run(TouchPlan.press(1, 2, 800), MotionSchedule.ofPresses(800, 1, 0));
        assertEquals("[0@0x1, 1@1150x1]", screen.seen.toString());
    }

    @Test
    public void aRefusedEventCancelsAndTellsTheCount() {
        screen.failAt = 2;
        Failure failure = failing("swipe");
        assertEquals("injectInputEvent returned false", failure.getMessage());
        assertEquals("{injectedEvents=2, attemptedEvents=3}", failure.facts().toString());
        assertTrue(failure.started());
        assertEquals("[0@0x1, 2@16x1, 2@40x1, 3@40x1]", screen.seen.toString());
    }

    @Test
    public void aRefusedFirstEventMayStillHaveReachedTheApp() {
        screen.failAt = 0;
        Failure failure = failing("swipe");
        assertTrue(failure.started());
        assertEquals("{injectedEvents=0, attemptedEvents=1}", failure.facts().toString());
        assertEquals("[0@0x1, 3@0x1]", screen.seen.toString());
    }

    @Test
    public void aForbiddenFirstEventIsProofThatNothingHappened() {
        screen.failAt = 0;
        screen.thrown = new SecurityException("INJECT_EVENTS");
        Failure failure = failing("swipe");
        assertFalse(failure.started());
        assertSame(screen.thrown, failure.getCause());
        assertEquals("[0@0x1]", screen.seen.toString());
    }

    @Test
    public void aForbiddenLaterEventIsNoSuchProof() {
        screen.failAt = 2;
        screen.thrown = new SecurityException("INJECT_EVENTS");
        Failure failure = failing("transform");
        assertTrue(failure.started());
        assertEquals("3@16x2", screen.seen.get(3));
    }

    @Test
    public void whenOneFingerHasLeftOneIsCancelled() {
        screen.failAt = 5;
        failing("transform");
        assertEquals("3@48x1", screen.seen.get(6));
    }

    @Test
    public void tapsAreRead() {
        Taps taps = Taps.parse("10.5,-2");
        assertEquals(10.5f, taps.x, 0);
        assertEquals(-2f, taps.y, 0);
        assertEquals(16, taps.holdMs);
        assertEquals(1, taps.count);
        Taps twice = Taps.parse("1,2,50,2,120");
        assertEquals(50, twice.holdMs);
        assertEquals(2, twice.count);
        assertEquals(120, twice.gapMs);
        assertEquals(16, Taps.parse("1,2,,2").holdMs);
        for (String bad : new String[] {"", "1", "1,", "a,b", "1,2,3,4,5,6", "1,2,-1", "1,2,60001", "1,2,0,0", "1,2,0,11", "1e3,2",
            "NaN,1", "1,2,0,1,1001", "1 ,2"}) {
            try {
                Taps.parse(bad);
                fail(bad);
            } catch (IllegalArgumentException expected) {
                // Wanted.
            }
        }
    }
}
