package dev.agentdevice.helper.capture;

import java.util.ArrayList;
import java.util.Collections;
import java.util.List;

/**
 * Writes every window. A window is in the result as a whole or not at all: one that vanishes while it is read is taken out
 * again.
 */
public final class ScreenCapture<N> {
    public static final String INTERACTIVE_WINDOWS = "interactive-windows";
    public static final String ACTIVE_WINDOW = "active-window";

    /** What came out. */
    public static final class Result {
        public final XmlWriter xml;
        public final Budget budget;
        public int windowCount;
        public String captureMode = INTERACTIVE_WINDOWS;
        public final List<Integer> missingRootTypes = new ArrayList<Integer>();
        private boolean activeRootMissing;
        private boolean focusedRootMissing;

        Result(XmlWriter xml, Budget budget) {
            this.xml = xml;
            this.budget = budget;
        }

        public boolean rootPresent() {
            return windowCount > 0;
        }

        /** Has a root, and no window that the user looks at lacks its own. */
        public boolean complete() {
            return rootPresent() && !activeRootMissing && !focusedRootMissing;
        }

        public String missingRootWindowTypes() {
            StringBuilder out = new StringBuilder();
            for (int type : missingRootTypes) {
                out.append(out.length() == 0 ? "" : ",").append(type);
            }
            return out.toString();
        }
    }

    private final ScreenReader<N> screen;
    private final NodeReader<N> nodes;

    public ScreenCapture(ScreenReader<N> screen, NodeReader<N> nodes) {
        this.screen = screen;
        this.nodes = nodes;
    }

    public Result capture(Budget budget) {
        Result result = new Result(new XmlWriter(), budget);
        result.xml.begin();
        ScreenReader.Window<N> activeWithoutRoot = null;
        for (ScreenReader.Window<N> window : windows()) {
            N root;
            try {
                root = window.roots.root();
            } catch (RuntimeException e) {
                root = null;
            }
            if (root != null && write(root, window, result)) {
                continue;
            }
            if (window.active || window.focused) {
                result.missingRootTypes.add(window.type);
                if (window.active) {
                    activeWithoutRoot = window;
                } else {
                    result.focusedRootMissing = true;
                }
            }
        }
        if (result.windowCount == 0 || activeWithoutRoot != null) {
            fallBack(activeWithoutRoot, result);
        }
        return result;
    }

    private List<ScreenReader.Window<N>> windows() {
        try {
            List<ScreenReader.Window<N>> windows = screen.windows();
            return windows == null ? Collections.<ScreenReader.Window<N>>emptyList() : windows;
        } catch (RuntimeException e) {
            return Collections.emptyList();
        }
    }

    private void fallBack(ScreenReader.Window<N> activeWithoutRoot, Result result) {
        N root;
        try {
            root = screen.activeRoot();
        } catch (RuntimeException e) {
            root = null;
        }
        if (activeWithoutRoot != null) {
            result.activeRootMissing = true;
        }
        if (root == null) {
            return;
        }
        if (result.windowCount > 0 && activeWithoutRoot == null) {
            nodes.release(root);
            return;
        }
        boolean only = result.windowCount == 0;
        if (write(root, activeWithoutRoot, result)) {
            if (only && result.windowCount > 0) {
                result.captureMode = ACTIVE_WINDOW;
            }
            if (activeWithoutRoot != null) {
                result.activeRootMissing = false;
                result.missingRootTypes.remove(Integer.valueOf(activeWithoutRoot.type));
            }
        }
    }

    /** False when the window went away meanwhile; nothing of it is left then. */
    private boolean write(N root, final ScreenReader.Window<N> window, Result result) {
        final int index = result.windowCount;
        int length = result.xml.length();
        Budget.Mark mark = result.budget.mark();
        try {
            new TreeWalker<N>(nodes, result.xml, result.budget).walk(root, index, window == null ? null
                    : new TreeWalker.RootAttributes() {
                        @Override
                        public void write(XmlWriter out) {
                            windowAttributes(window, index, out);
                        }
                    });
        } catch (RuntimeException e) {
            result.xml.truncate(length);
            result.budget.reset(mark);
            return false;
        }
        if (result.xml.length() > length) {
            result.windowCount++;
        }
        return true;
    }

    private static void windowAttributes(ScreenReader.Window<?> window, int index, XmlWriter out) {
        out.attribute("window-index", index);
        out.attribute("window-type", window.type);
        out.attribute("window-layer", window.layer);
        out.attribute("window-active", window.active);
        out.attribute("window-focused", window.focused);
        out.bounds("window-bounds", window.left, window.top, window.right, window.bottom);
        if (window.regionRect != null) {
            out.attribute("window-region-rect", window.regionRect);
        }
        if (window.title != null && !window.title.isEmpty()) {
            out.attribute("window-title", window.title);
        }
    }
}
