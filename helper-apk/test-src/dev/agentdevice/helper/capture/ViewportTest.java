package dev.agentdevice.helper.capture;

import static org.junit.Assert.assertEquals;
import static org.junit.Assert.assertNull;
import static org.junit.Assert.fail;

import org.junit.Test;

import java.util.ArrayList;
import java.util.List;

public class ViewportTest {
    private final List<ScreenReader.Window<FakeNode>> windows = new ArrayList<ScreenReader.Window<FakeNode>>();
    private Viewport.Rect root;

    private ViewportTest add(int type, boolean active, boolean focused, int... bounds) {
        ScreenReader.Window<FakeNode> window = new ScreenReader.Window<FakeNode>();
        window.type = type;
        window.active = active;
        window.focused = focused;
        window.left = bounds[0];
        window.top = bounds[1];
        window.right = bounds[2];
        window.bottom = bounds[3];
        windows.add(window);
        return this;
    }

    private Viewport viewport() {
        return Viewport.of(windows, new Viewport.ActiveRoot() {
            @Override
            public Viewport.Rect bounds() {
                return root;
            }
        });
    }

    private static void is(Viewport.Rect rect, int... bounds) {
        assertEquals(bounds[0], rect.left);
        assertEquals(bounds[1], rect.top);
        assertEquals(bounds[2], rect.right);
        assertEquals(bounds[3], rect.bottom);
    }

    @Test
    public void theWindowInUseWins() {
        add(3, true, true, 0, 0, 5, 5).add(1, false, false, 0, 0, 9, 9).add(1, false, true, 0, 0, 0, 0).add(1, true, false, 1, 2, 3, 4);
        is(viewport().app, 1, 2, 3, 4);
        assertNull(viewport().keyboard);
    }

    @Test
    public void thenTheActiveRootThenAnyApp() {
        add(1, false, false, 0, 0, 9, 9);
        root = new Viewport.Rect(0, 0, 7, 7);
        is(viewport().app, 0, 0, 7, 7);
        root = new Viewport.Rect(0, 0, 0, 7);
        is(viewport().app, 0, 0, 9, 9);
    }

    @Test
    public void nothingIsAnError() {
        try {
            viewport();
            fail();
        } catch (IllegalStateException expected) {
            assertEquals("Active application interaction viewport is unavailable", expected.getMessage());
        }
    }

    @Test
    public void aKeyboardIsTheUnionOfWhatCrossesTheCentreLine() {
        add(1, true, true, 0, 0, 1080, 2400);
        add(2, false, false, 0, 1600, 1080, 2400).add(2, false, false, 0, 1500, 1080, 1600);
        is(viewport().keyboard, 0, 1500, 1080, 2400);
    }

    @Test
    public void aKeyboardBesideTheCentreLineOrOutsideDoesNotCount() {
        add(1, true, true, 0, 0, 1080, 2400);
        add(2, false, false, 541, 1600, 1080, 2400).add(2, false, false, 0, 1600, 540, 2400).add(2, false, false, 0, 2400, 1080, 2600);
        assertNull(viewport().keyboard);
        add(2, false, false, 540, 1600, 541, 2400);
        is(viewport().keyboard, 540, 1600, 541, 2400);
    }
}
