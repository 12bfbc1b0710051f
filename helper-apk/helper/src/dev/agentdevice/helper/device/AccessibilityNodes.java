package dev.agentdevice.helper.device;

import android.graphics.Rect;
import android.os.Bundle;
import android.view.accessibility.AccessibilityNodeInfo;

import dev.agentdevice.helper.capture.NodeReader;
import dev.agentdevice.helper.capture.Secrets;
import dev.agentdevice.helper.capture.XmlWriter;

/**
 * Writes what Android says about a node. A false is written where its absence would mean "this helper can't tell", and left out
 * where both mean the same.
 */
final class AccessibilityNodes extends AccessibilityTree implements NodeReader<AccessibilityNodeInfo> {
    private static final String ROLE_DESCRIPTION = "AccessibilityNodeInfo.roleDescription";

    private final Rect rect = new Rect();

    @Override
    public void attributes(AccessibilityNodeInfo node, XmlWriter out) {
        CharSequence text = node.getText();
        boolean hintShowing = ApiLevel.HINT && node.isShowingHintText();
        boolean password = node.isPassword();
        if (text != null) {
            out.attribute("text", password && !hintShowing ? Secrets.masked(text) : text);
        }
        if (ApiLevel.HINT) {
            nonEmpty("hint", node.getHintText(), out);
            out.attribute("hint-showing", hintShowing);
        }
        out.attribute("editable", node.isEditable());
        int start = node.getTextSelectionStart();
        int end = node.getTextSelectionEnd();
        if (start >= 0) {
            out.attribute("selection-start", start);
        }
        if (end >= 0) {
            out.attribute("selection-end", end);
        }
        nonEmpty("resource-id", node.getViewIdResourceName(), out);
        CharSequence type = node.getClassName();
        out.attribute("class", type == null ? "" : type);
        nonEmpty("package", node.getPackageName(), out);
        nonEmpty("content-desc", node.getContentDescription(), out);
        out.attribute("visible-to-user", node.isVisibleToUser());
        if (ApiLevel.DRAWING_ORDER) {
            out.attribute("drawing-order", node.getDrawingOrder());
        }
        onlyTrue("clickable", node.isClickable(), out);
        onlyTrue("long-clickable", node.isLongClickable(), out);
        out.attribute("enabled", node.isEnabled());
        onlyTrue("focusable", node.isFocusable(), out);
        onlyTrue("focused", node.isFocused(), out);
        out.attribute("selected", node.isSelected());
        if (node.isCheckable()) {
            out.attribute("checkable", true);
            out.attribute("checked", node.isChecked());
        }
        if (ApiLevel.HEADING) {
            onlyTrue("heading", node.isHeading(), out);
        }
        Bundle extras = node.getExtras();
        if (!extras.isEmpty()) {
            nonEmpty("role-description", extras.getCharSequence(ROLE_DESCRIPTION), out);
        }
        if (ApiLevel.STATE_DESCRIPTION) {
            nonEmpty("state-description", node.getStateDescription(), out);
        }
        if (node.isScrollable()) {
            int actions = scrollActions(node);
            out.attribute("scrollable", true);
            out.attribute("can-scroll-forward", (actions & AccessibilityNodeInfo.ACTION_SCROLL_FORWARD) != 0);
            out.attribute("can-scroll-backward", (actions & AccessibilityNodeInfo.ACTION_SCROLL_BACKWARD) != 0);
        }
        out.attribute("password", password);
        node.getBoundsInScreen(rect);
        out.bounds("bounds", rect.left, rect.top, rect.right, rect.bottom);
    }

    private static int scrollActions(AccessibilityNodeInfo node) {
        int actions = 0;
        for (AccessibilityNodeInfo.AccessibilityAction action : node.getActionList()) {
            // The standard actions' ids are single bits; others must not look like them.
            int id = action.getId();
            if (id == AccessibilityNodeInfo.ACTION_SCROLL_FORWARD || id == AccessibilityNodeInfo.ACTION_SCROLL_BACKWARD) {
                actions |= id;
            }
        }
        return actions;
    }

    private static void nonEmpty(String name, CharSequence value, XmlWriter out) {
        if (value != null && value.length() > 0) {
            out.attribute(name, value);
        }
    }

    private static void onlyTrue(String name, boolean value, XmlWriter out) {
        if (value) {
            out.attribute(name, true);
        }
    }
}
