package dev.agentdevice.helper.device;

import android.app.UiAutomation;
import android.graphics.Rect;
import android.view.accessibility.AccessibilityNodeInfo;

import dev.agentdevice.helper.capture.ScreenReader.Window;
import dev.agentdevice.helper.touch.Aim;

import java.util.List;

/** Looks at what a touch would hit, on the screen as it is now. */
final class Targets {
    private static final int APPLICATION = 1;
    private static final int INPUT_METHOD = 2;
    private static final int SYSTEM = 3;

    private Targets() {
    }

    /** Throws if what is meant is not what a touch would hit. What can't be told is let through. */
    static void require(UiAutomation connection, Aim aim, float x, float y) {
        Automation.dropNodeCache(connection);
        AccessibilityWindows windows = new AccessibilityWindows(connection);
        try {
            List<Window<AccessibilityNodeInfo>> list;
            try {
                list = windows.windows();
            } catch (RuntimeException e) {
                return;
            }
            if (!list.isEmpty()) {
                require(list, aim, x, y);
            }
        } finally {
            windows.recycle();
        }
    }

    private static void require(List<Window<AccessibilityNodeInfo>> windows, Aim aim, float x, float y) {
        boolean another = false;
        boolean over = false;
        for (Window<AccessibilityNodeInfo> window : windows) {
            another |= leads(window) && (window.type == APPLICATION || window.type == SYSTEM);
        }
        for (Window<AccessibilityNodeInfo> window : windows) {
            if (x < window.left || x >= window.right || y < window.top || y >= window.bottom) {
                continue;
            }
            switch (below(window, aim, x, y)) {
                case UNKNOWN:
                    return;
                case COVERED:
                    throw new Aim.TargetChangedException("something has come over the target");
                case TARGET:
                    if (over) {
                        throw new Aim.TargetChangedException("a window has come over the target");
                    }
                    if (another && window.type == APPLICATION && !leads(window)) {
                        throw new Aim.TargetChangedException("another window has come to the front");
                    }
                    return;
                default:
                    over |= window.type == APPLICATION || window.type == INPUT_METHOD;
            }
        }
        throw new Aim.TargetChangedException("the target is not there any more");
    }

    private static boolean leads(Window<AccessibilityNodeInfo> window) {
        return window.active || window.focused;
    }

    private static Aim.Found below(Window<AccessibilityNodeInfo> window, Aim aim, float x, float y) {
        AccessibilityNodeInfo root = null;
        try {
            root = window.roots.root();
            return root == null ? Aim.Found.OTHER : aim.below(root, x, y, new Nodes());
        } catch (IllegalStateException e) {
            // The window went away under the look.
            return Aim.Found.OTHER;
        } finally {
            AccessibilityTree.recycle(root);
        }
    }

    private static final class Nodes extends AccessibilityTree implements Aim.Reader<AccessibilityNodeInfo> {
        private final Rect rect = new Rect();

        @Override
        public boolean holds(AccessibilityNodeInfo node, float x, float y) {
            node.getBoundsInScreen(rect);
            return node.isVisibleToUser() && x >= rect.left && x < rect.right && y >= rect.top && y < rect.bottom;
        }

        @Override
        public CharSequence type(AccessibilityNodeInfo node) {
            return node.getClassName();
        }

        @Override
        public CharSequence id(AccessibilityNodeInfo node) {
            return node.getViewIdResourceName();
        }

        @Override
        public CharSequence[] names(AccessibilityNodeInfo node) {
            CharSequence hint = ApiLevel.HINT ? node.getHintText() : null;
            return new CharSequence[] {node.getText(), node.getContentDescription(), hint};
        }

        @Override
        public boolean acts(AccessibilityNodeInfo node) {
            return node.isClickable() || node.isLongClickable();
        }

        @Override
        public int order(AccessibilityNodeInfo node) {
            return ApiLevel.DRAWING_ORDER ? node.getDrawingOrder() : -1;
        }
    }
}
