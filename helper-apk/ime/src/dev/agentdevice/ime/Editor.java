package dev.agentdevice.ime;

import android.view.inputmethod.ExtractedText;
import android.view.inputmethod.ExtractedTextRequest;
import android.view.inputmethod.InputConnection;

import dev.agentdevice.ime.pure.TextPieces;
import dev.agentdevice.session.Failure;

import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;

/**
 * Edits the field that the keyboard is connected to. Commits travel one way; a question after them is answered only when the
 * app has worked through them, which is what makes an acknowledgement one.
 */
final class Editor {
    /** No field to type into. */
    static final class NoConnectionException extends IllegalStateException {
        NoConnectionException() {
            super("the keyboard is not connected to a field");
        }
    }

    private static final int PIECE = 8000;
    private static final int CLEAR_ATTEMPTS = 3;

    private final TestInputMethodService service;

    Editor(TestInputMethodService service) {
        this.service = service;
    }

    private InputConnection connection() throws Failure {
        InputConnection connection = service.getCurrentInputConnection();
        if (connection == null || !service.getCurrentInputStarted()) {
            throw Failure.beforeStart(new NoConnectionException());
        }
        return connection;
    }

    Map<String, String> type(String text) throws Failure {
        InputConnection connection = connection();
        int before = length(connection);
        List<String> pieces = TextPieces.of(text, PIECE);
        int committed = 0;
        for (String piece : pieces) {
            if (!connection.commitText(piece, 1)) {
                throw Failure.afterStart(new IllegalStateException("the field went away")).with("committed", committed);
            }
            committed += piece.length();
        }
        Map<String, String> facts = new LinkedHashMap<String, String>();
        facts.put("kind", "text");
        facts.put("committed", Integer.toString(committed));
        facts.put("pieces", Integer.toString(pieces.size()));
        return lengths(facts, connection, before);
    }

    Map<String, String> clear() throws Failure {
        InputConnection connection = connection();
        int before = length(connection);
        int left = before;
        for (int i = 0; i < CLEAR_ATTEMPTS && (i == 0 || left > 0); i++) {
            clearOnce(connection, left);
            left = length(connection);
        }
        Map<String, String> facts = new LinkedHashMap<String, String>();
        facts.put("kind", "clear");
        return lengths(facts, connection, before);
    }

    private static void clearOnce(InputConnection connection, int length) {
        connection.beginBatchEdit();
        try {
            connection.finishComposingText();
            if (length >= 0) {
                connection.setSelection(0, length);
            } else {
                connection.performContextMenuAction(android.R.id.selectAll);
            }
            connection.commitText("", 1);
        } finally {
            connection.endBatchEdit();
        }
    }

    Map<String, String> enter() throws Failure {
        InputConnection connection = connection();
        service.sendKeyChar('\n');
        Map<String, String> facts = new LinkedHashMap<String, String>();
        facts.put("kind", "enter");
        facts.put("acknowledged", Boolean.toString(connection.getTextBeforeCursor(1, 0) != null));
        return facts;
    }

    private static Map<String, String> lengths(Map<String, String> facts, InputConnection connection, int before) {
        facts.put("acknowledged", Boolean.toString(connection.getTextBeforeCursor(1, 0) != null));
        int after = length(connection);
        if (before >= 0) {
            facts.put("lengthBefore", Integer.toString(before));
        }
        if (after >= 0) {
            facts.put("lengthAfter", Integer.toString(after));
        }
        return facts;
    }

    /** Negative when the field does not tell. */
    private static int length(InputConnection connection) {
        ExtractedText text = connection.getExtractedText(new ExtractedTextRequest(), 0);
        return text == null || text.text == null ? -1 : text.text.length();
    }
}
