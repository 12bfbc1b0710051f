package dev.agentdevice.helper.device;

import android.content.Context;
import android.provider.Settings;
import android.view.accessibility.AccessibilityNodeInfo;
import android.view.accessibility.AccessibilityWindowInfo;

/** What belongs to the keyboard. */
final class InputMethods {
    private InputMethods() {
    }

    /** The package of the chosen input method; empty if it can't be told. */
    static String chosen(Context context) {
        try {
            String id = Settings.Secure.getString(context.getContentResolver(), Settings.Secure.DEFAULT_INPUT_METHOD);
            int end = id == null ? -1 : id.indexOf('/');
            return end < 0 ? "" : id.substring(0, end);
        } catch (RuntimeException e) {
            return "";
        }
    }

    /** A keyboard app has screens of its own, too: only where the window's type can't be told does the package decide. */
    static boolean owns(AccessibilityNodeInfo node, Context context) {
        AccessibilityWindowInfo window = node.getWindow();
        if (window == null) {
            return chosen(context).contentEquals(String.valueOf(node.getPackageName()));
        }
        int type = window.getType();
        if (!ApiLevel.NO_RECYCLE) {
            window.recycle();
        }
        return type == AccessibilityWindowInfo.TYPE_INPUT_METHOD;
    }
}
