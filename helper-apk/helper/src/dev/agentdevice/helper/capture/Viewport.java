package dev.agentdevice.helper.capture;

import java.util.List;

/** Which rectangle gestures may use, and which part of it a keyboard has struck. */
public final class Viewport {
    public static final int TYPE_APPLICATION = 1;
    public static final int TYPE_INPUT_METHOD = 2;

    /** A rectangle; right and bottom are outside. */
    public static final class Rect {
        public final int left;
        public final int top;
        public final int right;
        public final int bottom;

        public Rect(int left, int top, int right, int bottom) {
            this.left = left;
            this.top = top;
            this.right = right;
            this.bottom = bottom;
        }

        boolean empty() {
            return left >= right || top >= bottom;
        }

        Rect union(Rect other) {
            return new Rect(Math.min(left, other.left), Math.min(top, other.top),
                    Math.max(right, other.right), Math.max(bottom, other.bottom));
        }
    }

    /** Reads the bounds of the active window's root, or null. */
    public interface ActiveRoot {
        Rect bounds();
    }

    public final Rect app;
    /** Null when no keyboard is struck. */
    public final Rect keyboard;

    private Viewport(Rect app, Rect keyboard) {
        this.app = app;
        this.keyboard = keyboard;
    }

    public static Viewport of(List<? extends ScreenReader.Window<?>> windows, ActiveRoot activeRoot) {
        Rect app = firstApp(windows, true);
        if (app == null) {
            Rect root = activeRoot.bounds();
            app = root == null || root.empty() ? null : root;
        }
        if (app == null) {
            app = firstApp(windows, false);
        }
        if (app == null) {
            throw new IllegalStateException("Active application interaction viewport is unavailable");
        }
        return new Viewport(app, keyboard(windows, app));
    }

    private static Rect firstApp(List<? extends ScreenReader.Window<?>> windows, boolean inUse) {
        for (ScreenReader.Window<?> window : windows) {
            Rect rect = rect(window);
            if (window.type == TYPE_APPLICATION && !rect.empty() && (!inUse || window.active || window.focused)) {
                return rect;
            }
        }
        return null;
    }

    /** A keyboard can be several windows: keys and a bar of candidates. */
    private static Rect keyboard(List<? extends ScreenReader.Window<?>> windows, Rect app) {
        int centre = app.left + (app.right - app.left) / 2;
        Rect all = null;
        for (ScreenReader.Window<?> window : windows) {
            Rect rect = rect(window);
            if (window.type == TYPE_INPUT_METHOD && !rect.empty() && rect.left <= centre && centre < rect.right
                    && rect.top < app.bottom && app.top < rect.bottom) {
                all = all == null ? rect : all.union(rect);
            }
        }
        return all;
    }

    private static Rect rect(ScreenReader.Window<?> window) {
        return new Rect(window.left, window.top, window.right, window.bottom);
    }
}
