package dev.agentdevice.ime.pure;

import java.util.ArrayList;
import java.util.List;

/** Cuts text into pieces that fit into one call to the app, never through a character. */
public final class TextPieces {
    private TextPieces() {
    }

    public static List<String> of(String text, int max) {
        List<String> pieces = new ArrayList<String>();
        int from = 0;
        while (from < text.length()) {
            int to = Math.min(text.length(), from + max);
            if (to < text.length() && Character.isLowSurrogate(text.charAt(to)) && Character.isHighSurrogate(text.charAt(to - 1))
                    && to - 1 > from) {
                to--;
            }
            pieces.add(text.substring(from, to));
            from = to;
        }
        return pieces;
    }
}
