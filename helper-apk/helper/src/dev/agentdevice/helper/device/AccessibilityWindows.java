package dev.agentdevice.helper.device;

import android.app.UiAutomation;
import android.graphics.Rect;
import android.graphics.Region;
import android.view.accessibility.AccessibilityNodeInfo;
import android.view.accessibility.AccessibilityWindowInfo;

import dev.agentdevice.helper.capture.ScreenReader;

import java.util.ArrayList;
import java.util.List;

/** The windows that UiAutomation reports. */
final class AccessibilityWindows implements ScreenReader<AccessibilityNodeInfo> {
    private final UiAutomation automation;
    private final List<AccessibilityWindowInfo> held = new ArrayList<AccessibilityWindowInfo>();

    AccessibilityWindows(UiAutomation automation) {
        this.automation = automation;
    }

    @Override
    public List<Window<AccessibilityNodeInfo>> windows() {
        List<Window<AccessibilityNodeInfo>> out = new ArrayList<Window<AccessibilityNodeInfo>>();
        for (AccessibilityWindowInfo info : automation.getWindows()) {
            held.add(info);
            out.add(read(info));
        }
        return out;
    }

    @Override
    public AccessibilityNodeInfo activeRoot() {
        return automation.getRootInActiveWindow();
    }

    void recycle() {
        if (ApiLevel.NO_RECYCLE) {
            return;
        }
        for (AccessibilityWindowInfo info : held) {
            try {
                info.recycle();
            } catch (IllegalStateException e) {
                // Recycled already.
            }
        }
        held.clear();
    }

    private static Window<AccessibilityNodeInfo> read(final AccessibilityWindowInfo info) {
        Window<AccessibilityNodeInfo> window = new Window<AccessibilityNodeInfo>();
        Rect bounds = new Rect();
        info.getBoundsInScreen(bounds);
        window.left = bounds.left;
        window.top = bounds.top;
        window.right = bounds.right;
        window.bottom = bounds.bottom;
        window.type = info.getType();
        window.layer = info.getLayer();
        window.active = info.isActive();
        window.focused = info.isFocused();
        if (ApiLevel.WINDOW_REGION) {
            Region region = new Region();
            info.getRegionInScreen(region);
            window.regionRect = region.isEmpty() ? null : (Boolean) region.isRect();
        }
        if (ApiLevel.WINDOW_TITLE && info.getTitle() != null) {
            window.title = info.getTitle().toString();
        }
        window.roots = new Roots<AccessibilityNodeInfo>() {
            @Override
            public AccessibilityNodeInfo root() {
                return info.getRoot();
            }
        };
        return window;
    }
}
