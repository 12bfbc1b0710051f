package dev.agentdevice.helper.device;

import android.view.accessibility.AccessibilityNodeInfo;

import dev.agentdevice.helper.capture.Tree;

/** How Android's nodes hang together. */
class AccessibilityTree implements Tree<AccessibilityNodeInfo> {
    @Override
    public int childCount(AccessibilityNodeInfo node) {
        return node.getChildCount();
    }

    @Override
    public AccessibilityNodeInfo child(AccessibilityNodeInfo node, int index) {
        return node.getChild(index);
    }

    @Override
    public void release(AccessibilityNodeInfo node) {
        recycle(node);
    }

    static void recycle(AccessibilityNodeInfo node) {
        if (node != null && !ApiLevel.NO_RECYCLE) {
            try {
                node.recycle();
            } catch (IllegalStateException e) {
                // Recycled already.
            }
        }
    }
}
