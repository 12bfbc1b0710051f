package dev.agentdevice.helper.device;

import android.app.UiAutomation;
import android.content.Context;
import android.os.Bundle;
import android.view.KeyEvent;
import android.view.accessibility.AccessibilityNodeInfo;

import dev.agentdevice.helper.ImeCaptureException;
import dev.agentdevice.session.Failure;

import java.util.LinkedHashMap;
import java.util.Map;

/**
 * Puts text into the focused field through accessibility, whatever keyboard is active. What a field holds is never told, only
 * its length: it may be a secret.
 */
public final class TextFields {
    private final Automation automation;
    private final Context context;
    private final Keys keys;

    public TextFields(Automation automation, Context context) {
        this.automation = automation;
        this.context = context;
        keys = new Keys(automation);
    }

    /** Types at the cursor, over the selection. */
    public Map<String, String> insert(String text) throws Failure {
        AccessibilityNodeInfo field = focused();
        try {
            Map<String, String> facts = facts("text", field);
            String value = valueToBuildOn(field);
            KeyEvent[] events = value == null || !ApiLevel.SET_TEXT_SOUND ? Keys.eventsFor(text) : null;
            if (events != null) {
                facts.put("channel", "keys");
                keys.send(events);
            } else if (value != null) {
                facts.put("channel", "set-text");
                insertInto(field, value, text);
            } else {
                throw Failure.beforeStart(new UnsupportedOperationException(
                        "the field takes key events only, and the text has characters without a key; the test keyboard can type it"));
            }
            return after(field, facts);
        } finally {
            AccessibilityTree.recycle(field);
        }
    }

    /** Replaces the whole value; an empty text clears. */
    public Map<String, String> replace(String kind, String text) throws Failure {
        AccessibilityNodeInfo field = focused();
        try {
            if (!canSetText(field)) {
                throw Failure.beforeStart(new UnsupportedOperationException("the field does not let its text be set"));
            }
            Map<String, String> facts = facts(kind, field);
            KeyEvent[] events = text.isEmpty() || ApiLevel.SET_TEXT_SOUND ? null : Keys.eventsFor(text);
            facts.put("channel", events == null ? "set-text" : "set-text+keys");
            setText(field, events == null ? text : "");
            if (events != null) {
                try {
                    keys.send(events);
                } catch (Failure e) {
                    // The field is empty now, whatever the keys did.
                    throw Failure.afterStart(e.getCause());
                }
            }
            return after(field, facts);
        } finally {
            AccessibilityTree.recycle(field);
        }
    }

    /** Null when nobody can tell what a new value would have to be made from: dots, or a hint that can't be told from text. */
    private static String valueToBuildOn(AccessibilityNodeInfo field) {
        if (!canSetText(field) || knownLength(field) < 0 || field.isPassword() && knownLength(field) > 0) {
            return null;
        }
        CharSequence text = field.getText();
        return knownLength(field) == 0 ? "" : text.toString();
    }

    private static void insertInto(AccessibilityNodeInfo field, String value, String text) {
        int start = field.getTextSelectionStart();
        int end = field.getTextSelectionEnd();
        if (start < 0 || end < 0 || start > value.length() || end > value.length()) {
            start = value.length();
            end = start;
        }
        int from = Math.min(start, end);
        setText(field, value.substring(0, from) + text + value.substring(Math.max(start, end)));
        moveCursor(field, from + text.length());
    }

    private AccessibilityNodeInfo focused() throws Failure {
        try {
            UiAutomation connection = automation.get(8000);
            Automation.dropNodeCache(connection);
            AccessibilityNodeInfo field = connection.findFocus(AccessibilityNodeInfo.FOCUS_INPUT);
            if (field == null || !field.isEditable()) {
                AccessibilityTree.recycle(field);
                throw new IllegalStateException("no text field has the focus");
            }
            if (InputMethods.owns(field, context)) {
                AccessibilityTree.recycle(field);
                throw new ImeCaptureException("a field of the keyboard itself has the focus");
            }
            return field;
        } catch (Exception e) {
            throw Failure.beforeStart(e);
        }
    }

    private static boolean canSetText(AccessibilityNodeInfo field) {
        return !ApiLevel.SET_TEXT_SOUND || field.getActionList().contains(AccessibilityNodeInfo.AccessibilityAction.ACTION_SET_TEXT);
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

    /** Negative when it can't be told: before Android 8 an empty field answers with its hint, a secret one with nothing. */
    private static int knownLength(AccessibilityNodeInfo field) {
        CharSequence text = field.getText();
        if (ApiLevel.HINT) {
            return text == null || field.isShowingHintText() ? 0 : text.length();
        }
        if (field.isPassword()) {
            return -1;
        }
        return text == null || text.length() == 0 ? 0 : field.getTextSelectionStart() > 0 ? text.length() : -1;
    }

    private static Map<String, String> facts(String kind, AccessibilityNodeInfo field) {
        Map<String, String> out = new LinkedHashMap<String, String>();
        out.put("kind", kind);
        out.put("fieldPackage", String.valueOf(field.getPackageName()));
        out.put("fieldClass", String.valueOf(field.getClassName()));
        String id = field.getViewIdResourceName();
        out.put("fieldId", id == null ? "" : id);
        out.put("fieldPassword", Boolean.toString(field.isPassword()));
        putLength(out, "lengthBefore", field);
        return out;
    }

    private Map<String, String> after(AccessibilityNodeInfo field, Map<String, String> facts) {
        if (field.refresh()) {
            putLength(facts, "lengthAfter", field);
        }
        facts.put("activePackage", Viewports.activePackage(automation));
        return facts;
    }

    private static void putLength(Map<String, String> facts, String name, AccessibilityNodeInfo field) {
        int length = knownLength(field);
        if (length >= 0) {
            facts.put(name, Integer.toString(length));
        }
    }

    public Map<String, String> key(int code, int meta) throws Failure {
        int events = keys.press(code, meta);
        Map<String, String> out = new LinkedHashMap<String, String>();
        out.put("kind", "key");
        out.put("injectedEvents", Integer.toString(events));
        return out;
    }
}
