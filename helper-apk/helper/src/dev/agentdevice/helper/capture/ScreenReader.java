package dev.agentdevice.helper.capture;

import java.util.List;

/** The windows of a device. */
public interface ScreenReader<N> {
    /** In z-order, topmost first. May throw: then there are none. */
    List<Window<N>> windows();

    /** The root of the active window by the other way to get it, or null. */
    N activeRoot();

    /** One window. Its facts were read before its root was asked for. */
    final class Window<N> {
        /** TYPE_APPLICATION and so on, as Android numbers them. */
        public int type;
        public int layer;
        public boolean active;
        public boolean focused;
        public int left;
        public int top;
        public int right;
        public int bottom;
        /** Whether the touchable region is one rectangle; null = not known. */
        public Boolean regionRect;
        public String title;
        public Roots<N> roots;
    }

    /** Gets the root when it is its turn, not before: an early root is an old root. */
    interface Roots<N> {
        N root();
    }
}
