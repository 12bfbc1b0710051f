package dev.agentdevice.helper.device;

import android.app.UiAutomation;
import android.content.Context;
import android.graphics.Rect;
import android.view.accessibility.AccessibilityNodeInfo;

import dev.agentdevice.helper.capture.ScreenReader;
import dev.agentdevice.helper.capture.Viewport;

import java.util.Collections;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.concurrent.TimeoutException;

/** Reads where gestures may go. */
public final class Viewports {
    private static final long CONNECT_MS = 8000;
    private static final long QUIET_MS = 100;
    private static final long IDLE_MS = 2000;

    private final Automation automation;
    private final Context context;

    public Viewports(Automation automation, Context context) {
        this.automation = automation;
        this.context = context;
    }

    /** @param idleMs how long to wait for a quiet screen at most; negative = the default. */
    public Map<String, String> read(long idleMs) throws Exception {
        final UiAutomation connection = automation.get(CONNECT_MS);
        long timeout = idleMs < 0 ? IDLE_MS : idleMs;
        if (timeout > 0) {
            Automation.waitForIdle(connection, Math.min(QUIET_MS, timeout), timeout);
        }
        final String[] activePackage = {""};
        AccessibilityWindows windows = new AccessibilityWindows(connection);
        Viewport viewport;
        try {
            final Viewport.Rect root = activeRoot(connection, activePackage);
            List<ScreenReader.Window<AccessibilityNodeInfo>> list;
            try {
                list = windows.windows();
            } catch (RuntimeException e) {
                list = Collections.emptyList();
            }
            viewport = Viewport.of(list, new Viewport.ActiveRoot() {
                @Override
                public Viewport.Rect bounds() {
                    return root;
                }
            });
        } finally {
            windows.recycle();
        }
        Map<String, String> out = new LinkedHashMap<String, String>();
        out.put("kind", "viewport");
        put(out, "x", "y", "width", "height", viewport.app);
        if (viewport.keyboard != null) {
            put(out, "keyboardX", "keyboardY", "keyboardWidth", "keyboardHeight", viewport.keyboard);
        }
        out.put("activePackage", activePackage[0]);
        DisplayFacts display = DisplayFacts.read(context);
        if (display != null) {
            out.put("displayWidth", Integer.toString(display.width));
            out.put("displayHeight", Integer.toString(display.height));
            out.put("rotation", Integer.toString(display.rotation));
        }
        return out;
    }

    private static Viewport.Rect activeRoot(UiAutomation connection, String[] activePackage) {
        AccessibilityNodeInfo root = null;
        try {
            root = connection.getRootInActiveWindow();
            if (root == null) {
                return null;
            }
            activePackage[0] = packageOf(root);
            Rect bounds = new Rect();
            root.getBoundsInScreen(bounds);
            return new Viewport.Rect(bounds.left, bounds.top, bounds.right, bounds.bottom);
        } catch (RuntimeException e) {
            return null;
        } finally {
            AccessibilityTree.recycle(root);
        }
    }

    /** The package of the active window; empty if it can't be told. */
    static String activePackage(Automation automation) {
        AccessibilityNodeInfo root = null;
        try {
            root = automation.get(CONNECT_MS).getRootInActiveWindow();
            return root == null ? "" : packageOf(root);
        } catch (InterruptedException e) {
            Thread.currentThread().interrupt();
            return "";
        } catch (TimeoutException e) {
            return "";
        } catch (RuntimeException e) {
            return "";
        } finally {
            AccessibilityTree.recycle(root);
        }
    }

    private static String packageOf(AccessibilityNodeInfo node) {
        return node.getPackageName() == null ? "" : node.getPackageName().toString();
    }

    private static void put(Map<String, String> out, String x, String y, String width, String height, Viewport.Rect rect) {
        out.put(x, Integer.toString(rect.left));
        out.put(y, Integer.toString(rect.top));
        out.put(width, Integer.toString(rect.right - rect.left));
        out.put(height, Integer.toString(rect.bottom - rect.top));
    }
}
