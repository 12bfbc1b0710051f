package dev.agentdevice.helper.device;

import android.app.UiAutomation;
import android.os.Bundle;
import android.view.KeyEvent;
import android.view.accessibility.AccessibilityNodeInfo;

import dev.agentdevice.session.Failure;

import java.util.LinkedHashMap;
import java.util.Map;

/**
 * Puts text into the focused field through accessibility, whatever keyboard is active. What a field holds is never told, only
 * its length: it may be a secret.
 */
public final class TextFields {
    private final Automation automation;
    private final Keys keys;

    public TextFields(Automation automation) {
        this.automation = automation;
        keys = new Keys(automation);
    }

    /** Types at the cursor, over the selection. */
    public Map<String, String> insert(String text) throws Failure {
        AccessibilityNodeInfo field = focused();
        try {
            String value = value(field);
            Map<String, String> facts = facts("text", field, value);
            if (field.isPassword() && !value.isEmpty() || !canSetText(field)) {
                // The value of a secret field is dots: nothing to build a new one from.
                KeyEvent[] events = Keys.eventsFor(text);
                if (events == null) {
                    throw Failure.beforeStart(new UnsupportedOperationException(
                            "the field takes key events only, and the text has characters without a key"));
                }
                facts.put("channel", "keys");
                keys.send(events);
            } else {
                int start = field.getTextSelectionStart();
                int end = field.getTextSelectionEnd();
                if (start < 0 || end < 0 || start > value.length() || end > value.length()) {
                    start = value.length();
                    end = start;
                }
                int from = Math.min(start, end);
                setText(field, value.substring(0, from) + text + value.substring(Math.max(start, end)));
                moveCursor(field, from + text.length());
                facts.put("channel", "set-text");
            }
            return after(field, facts);
        } finally {
            AccessibilityNodes.recycle(field);
        }
    }

    /** Replaces the whole value; an empty text clears. */
    public Map<String, String> replace(String kind, String text) throws Failure {
        AccessibilityNodeInfo field = focused();
        try {
            if (!canSetText(field)) {
                throw Failure.beforeStart(new UnsupportedOperationException("the field does not let its text be set"));
            }
            Map<String, String> facts = facts(kind, field, value(field));
            setText(field, text);
            facts.put("channel", "set-text");
            return after(field, facts);
        } finally {
            AccessibilityNodes.recycle(field);
        }
    }

    private AccessibilityNodeInfo focused() throws Failure {
        try {
            UiAutomation connection = automation.get(8000);
            Automation.dropNodeCache(connection);
            AccessibilityNodeInfo field = connection.findFocus(AccessibilityNodeInfo.FOCUS_INPUT);
            if (field == null || !field.isEditable()) {
                AccessibilityNodes.recycle(field);
                throw new IllegalStateException("no text field has the focus");
            }
            return field;
        } catch (Exception e) {
            throw Failure.beforeStart(e);
        }
    }

    private static boolean canSetText(AccessibilityNodeInfo field) {
        return field.getActionList().contains(AccessibilityNodeInfo.AccessibilityAction.ACTION_SET_TEXT);
    }

    private static void setText(AccessibilityNodeInfo field, String text) {
        Bundle arguments = new Bundle();
        arguments.putCharSequence(AccessibilityNodeInfo.ACTION_ARGUMENT_SET_TEXT_CHARSEQUENCE, text);
        if (!field.performAction(AccessibilityNodeInfo.ACTION_SET_TEXT, arguments)) {
            throw new IllegalStateException("the field did not take the text");
        }
    }

    private static void moveCursor(AccessibilityNodeInfo field, int at) {
        Bundle arguments = new Bundle();
        arguments.putInt(AccessibilityNodeInfo.ACTION_ARGUMENT_SELECTION_START_INT, at);
        arguments.putInt(AccessibilityNodeInfo.ACTION_ARGUMENT_SELECTION_END_INT, at);
        // A field that formats its text may refuse; its own cursor is then as good.
        field.performAction(AccessibilityNodeInfo.ACTION_SET_SELECTION, arguments);
    }

    private static String value(AccessibilityNodeInfo field) {
        CharSequence text = field.getText();
        return text == null || ApiLevel.HINT && field.isShowingHintText() ? "" : text.toString();
    }

    private static Map<String, String> facts(String kind, AccessibilityNodeInfo field, String value) {
        Map<String, String> out = new LinkedHashMap<String, String>();
        out.put("kind", kind);
        out.put("fieldPackage", String.valueOf(field.getPackageName()));
        out.put("fieldClass", String.valueOf(field.getClassName()));
        String id = field.getViewIdResourceName();
        out.put("fieldId", id == null ? "" : id);
        out.put("fieldPassword", Boolean.toString(field.isPassword()));
        out.put("lengthBefore", Integer.toString(value.length()));
        return out;
    }

    private static Map<String, String> after(AccessibilityNodeInfo field, Map<String, String> facts) {
        if (field.refresh()) {
            facts.put("lengthAfter", Integer.toString(value(field).length()));
        }
        return facts;
    }

    public Map<String, String> key(int code, int meta) throws Failure {
        int events = keys.press(code, meta);
        Map<String, String> out = new LinkedHashMap<String, String>();
        out.put("kind", "key");
        out.put("injectedEvents", Integer.toString(events));
        return out;
    }
}
