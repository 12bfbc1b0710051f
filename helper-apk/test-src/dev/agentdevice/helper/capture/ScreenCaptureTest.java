package dev.agentdevice.helper.capture;

import static org.junit.Assert.assertEquals;
import static org.junit.Assert.assertFalse;
import static org.junit.Assert.assertTrue;
import static org.junit.Assert.fail;

import dev.agentdevice.session.Clock;
import dev.agentdevice.session.StepClock;

import org.junit.Test;

import java.util.ArrayList;
import java.util.List;

public class ScreenCaptureTest {
    private static final class FakeScreen implements ScreenReader<FakeNode> {
        final List<Window<FakeNode>> windows = new ArrayList<Window<FakeNode>>();
        FakeNode activeRoot;
        boolean windowsFail;

        FakeScreen add(int type, boolean active, boolean focused, final FakeNode root) {
            Window<FakeNode> window = new Window<FakeNode>();
            window.type = type;
            window.layer = windows.size();
            window.active = active;
            window.focused = focused;
            window.right = 1080;
            window.bottom = 2400;
            window.roots = new Roots<FakeNode>() {
                @Override
                public FakeNode root() {
                    return root;
                }
            };
            windows.add(window);
            return this;
        }

        @Override
        public List<Window<FakeNode>> windows() {
            if (windowsFail) {
                throw new IllegalStateException("no windows");
            }
            return windows;
        }

        @Override
        public FakeNode activeRoot() {
            return activeRoot;
        }
    }

    private final FakeScreen screen = new FakeScreen();

    private ScreenCapture.Result capture() {
        return new ScreenCapture<FakeNode>(screen, new FakeNode.Reader())
                .capture(new Budget(5000, 128, 1000, Clock.SYSTEM));
    }

    @Test
    public void everyWindowIsWrittenWithItsFacts() {
        screen.add(2, false, false, new FakeNode("keys")).add(1, true, true, new FakeNode("app"));
        screen.windows.get(0).regionRect = false;
        screen.windows.get(1).title = "Main";
        ScreenCapture.Result result = capture();
        String xml = result.xml.toString();
        assertTrue(xml, xml.contains("<node index=\"0\" window-index=\"0\" window-type=\"2\" window-layer=\"0\" window-active=\"false\""
                + " window-focused=\"false\" window-bounds=\"[0,0][1080,2400]\" window-region-rect=\"false\" text=\"keys\" />"));
        assertTrue(xml, xml.contains("<node index=\"1\" window-index=\"1\" window-type=\"1\" window-layer=\"1\" window-active=\"true\""
                + " window-focused=\"true\" window-bounds=\"[0,0][1080,2400]\" window-title=\"Main\" text=\"app\" />"));
        assertEquals(2, result.windowCount);
        assertEquals(2, result.budget.nodes());
        assertEquals("interactive-windows", result.captureMode);
        assertEquals("", result.missingRootWindowTypes());
        assertTrue(result.complete());
    }

    @Test
    public void aWindowThatVanishesIsTakenOutAsAWhole() {
        FakeNode gone = new FakeNode("gone");
        gone.goesAway = true;
        screen.add(3, false, false, new FakeNode("bar", new FakeNode("half"), gone)).add(1, true, true, new FakeNode("app"));
        ScreenCapture.Result result = capture();
        assertFalse(result.xml.toString().contains("bar"));
        assertEquals(1, result.windowCount);
        assertEquals(1, result.budget.nodes());
        assertTrue(result.complete());
    }

    @Test
    public void anActiveWindowThatVanishesMakesTheCaptureIncomplete() {
        FakeNode gone = new FakeNode("gone");
        gone.goesAway = true;
        screen.add(3, false, false, new FakeNode("bar")).add(1, true, true, new FakeNode("app", gone));
        assertFalse(capture().complete());
    }

    @Test
    public void aWindowWithoutRootThatNobodyUsesDoesNotMatter() {
        screen.add(3, false, false, null).add(1, true, true, new FakeNode("app"));
        ScreenCapture.Result result = capture();
        assertTrue(result.complete());
        assertEquals("", result.missingRootWindowTypes());
    }

    @Test
    public void theActiveWindowsRootIsFetchedTheOtherWay() {
        screen.add(3, false, false, new FakeNode("bar")).add(1, true, true, null);
        screen.activeRoot = new FakeNode("app");
        ScreenCapture.Result result = capture();
        assertTrue(result.xml.toString().contains("<node index=\"1\" window-index=\"1\" window-type=\"1\""));
        assertEquals("interactive-windows", result.captureMode);
        assertTrue(result.complete());
        assertEquals("", result.missingRootWindowTypes());
    }

    @Test
    public void anActiveWindowWithoutAnyRootIsMissing() {
        screen.add(3, false, false, new FakeNode("bar")).add(1, true, true, null);
        ScreenCapture.Result result = capture();
        assertFalse(result.complete());
        assertTrue(result.rootPresent());
        assertEquals("1", result.missingRootWindowTypes());
    }

    @Test
    public void aFocusedWindowWithoutRootIsMissingEvenIfTheActiveOneIsThere() {
        screen.add(2, false, true, null).add(1, true, false, new FakeNode("app"));
        ScreenCapture.Result result = capture();
        assertFalse(result.complete());
        assertEquals("2", result.missingRootWindowTypes());
    }

    @Test
    public void withoutWindowsTheActiveRootIsAllThereIs() {
        screen.windowsFail = true;
        screen.activeRoot = new FakeNode("app");
        ScreenCapture.Result result = capture();
        assertEquals("active-window", result.captureMode);
        assertEquals(1, result.windowCount);
        assertTrue(result.complete());
        assertTrue(result.xml.toString().contains("<node index=\"0\" text=\"app\" />"));
    }

    @Test
    public void nothingAtAllIsNoRoot() {
        ScreenCapture.Result result = capture();
        assertFalse(result.rootPresent());
        assertFalse(result.complete());
    }

    @Test
    public void aCompleteCaptureIsTheFirstAndCostsNoWait() throws Exception {
        screen.add(1, true, true, new FakeNode("app"));
        StepClock clock = new StepClock();
        final int[] attempts = {0};
        CaptureStabilizer.capture(new CaptureStabilizer.Attempt() {
            @Override
            public ScreenCapture.Result capture() {
                attempts[0]++;
                return ScreenCaptureTest.this.capture();
            }
        }, clock);
        assertEquals(1, attempts[0]);
        assertEquals(0, clock.now);
    }

    @Test
    public void anIncompleteCaptureIsRepeatedForHalfASecond() throws Exception {
        StepClock clock = new StepClock();
        final int[] attempts = {0};
        CaptureStabilizer.Attempt attempt = new CaptureStabilizer.Attempt() {
            @Override
            public ScreenCapture.Result capture() {
                attempts[0]++;
                return ScreenCaptureTest.this.capture();
            }
        };
        try {
            CaptureStabilizer.capture(attempt, clock);
            fail();
        } catch (CaptureStabilizer.IncompleteCaptureException expected) {
            assertTrue(expected.getMessage().endsWith("remained incomplete after 500 ms"));
            assertTrue(expected.getClass().getName().endsWith("$IncompleteCaptureException"));
            assertEquals(11, attempts[0]);
        }
    }
}
