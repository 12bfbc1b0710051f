package dev.agentdevice.helper.capture;

import java.nio.charset.StandardCharsets;
import java.util.Arrays;

/**
 * Writes the hierarchy straight as UTF-8, which is what leaves the device: no string of the whole document, no second copy.
 * Characters that XML 1.0 forbids become U+FFFD, so that a strict parser can read every tree.
 */
public final class XmlWriter {
    private static final String HEAD = "<?xml version='1.0' encoding='UTF-8' standalone='yes' ?><hierarchy rotation=\"";

    private static final String ESCAPED = "&<>\"'\n\r\t";
    private static final String[] ENTITIES = {"&amp;", "&lt;", "&gt;", "&quot;", "&apos;", "&#10;", "&#13;", "&#9;"};
    private static final boolean[] PLAIN = plainCharacters();

    private byte[] bytes = new byte[1 << 16];
    private int length;
    private boolean tagOpen;
    private int rotationAt;

    private static boolean[] plainCharacters() {
        boolean[] plain = new boolean[128];
        for (char c = ' '; c < plain.length; c++) {
            plain[c] = ESCAPED.indexOf(c) < 0;
        }
        return plain;
    }

    public void begin() {
        ascii(HEAD);
        rotationAt = length;
        ascii("0\">");
    }

    /** Rotation is only known to be right when the walk is over. */
    public void end(int rotation) {
        ascii("</hierarchy>");
        bytes[rotationAt] = (byte) ('0' + (rotation & 3));
    }

    public void openNode() {
        closeTag();
        ascii("<node");
        tagOpen = true;
    }

    public void closeNode() {
        if (tagOpen) {
            ascii(" />");
            tagOpen = false;
        } else {
            ascii("</node>");
        }
    }

    private void closeTag() {
        if (tagOpen) {
            put('>');
            tagOpen = false;
        }
    }

    public void attribute(String name, CharSequence value) {
        name(name);
        escaped(value);
        put('"');
    }

    public void attribute(String name, boolean value) {
        name(name);
        ascii(value ? "true" : "false");
        put('"');
    }

    public void attribute(String name, int value) {
        name(name);
        number(value);
        put('"');
    }

    /** {@code [left,top][right,bottom]}. */
    public void bounds(String name, int left, int top, int right, int bottom) {
        name(name);
        put('[');
        number(left);
        put(',');
        number(top);
        ascii("][");
        number(right);
        put(',');
        number(bottom);
        ascii("]\"");
    }

    public int length() {
        return length;
    }

    /** Goes back to an earlier length, which must lie between two nodes. */
    public void truncate(int earlier) {
        length = earlier;
        tagOpen = false;
    }

    /** The buffer itself; valid up to {@link #length}. */
    public byte[] bytes() {
        return bytes;
    }

    @Override
    public String toString() {
        return new String(bytes, 0, length, StandardCharsets.UTF_8);
    }

    private void name(String name) {
        put(' ');
        ascii(name);
        ascii("=\"");
    }

    private void number(int value) {
        // Bounds are most of the numbers and small; the rest may cost a string.
        if (value >= 0 && value < 10000) {
            int divisor = value >= 1000 ? 1000 : value >= 100 ? 100 : value >= 10 ? 10 : 1;
            for (; divisor > 0; divisor /= 10) {
                put((char) ('0' + value / divisor % 10));
            }
        } else {
            ascii(Integer.toString(value));
        }
    }

    /** The text as a tree shows it. */
    public static String legal(CharSequence text) {
        StringBuilder out = new StringBuilder(text.length());
        for (int i = 0; i < text.length(); i++) {
            char c = text.charAt(i);
            if (Character.isHighSurrogate(c) && i + 1 < text.length() && Character.isLowSurrogate(text.charAt(i + 1))) {
                out.append(c).append(text.charAt(++i));
            } else {
                out.append("\n\r\t".indexOf(c) >= 0 ? c : legal(c));
            }
        }
        return out.toString();
    }

    private static char legal(char c) {
        return c < ' ' || Character.isSurrogate(c) || c >= 0xfffe ? '\ufffd' : c;
    }

    private void escaped(CharSequence text) {
        // Styled text looks up each of its characters.
        String value = text.toString();
        int count = value.length();
        int at = 0;
        while (at < count) {
            int from = at;
            while (at < count && plain(value.charAt(at))) {
                at++;
            }
            ascii(value, from, at);
            if (at < count) {
                at = special(value, at);
            }
        }
    }

    private static boolean plain(char c) {
        return c < 128 && PLAIN[c];
    }

    /** Writes the character and returns where the next one is. */
    private int special(String value, int at) {
        char c = value.charAt(at);
        int entity = ESCAPED.indexOf(c);
        if (entity >= 0) {
            ascii(ENTITIES[entity]);
        } else if (Character.isHighSurrogate(c) && at + 1 < value.length() && Character.isLowSurrogate(value.charAt(at + 1))) {
            wide(value.codePointAt(at));
            return at + 2;
        } else {
            wide(legal(c));
        }
        return at + 1;
    }

    private void wide(int c) {
        reserve(4);
        if (c < 0x80) {
            bytes[length++] = (byte) c;
        } else if (c < 0x800) {
            bytes[length++] = (byte) (0xc0 | c >> 6);
            bytes[length++] = (byte) (0x80 | c & 63);
        } else if (c < 0x10000) {
            bytes[length++] = (byte) (0xe0 | c >> 12);
            bytes[length++] = (byte) (0x80 | c >> 6 & 63);
            bytes[length++] = (byte) (0x80 | c & 63);
        } else {
            bytes[length++] = (byte) (0xf0 | c >> 18);
            bytes[length++] = (byte) (0x80 | c >> 12 & 63);
            bytes[length++] = (byte) (0x80 | c >> 6 & 63);
            bytes[length++] = (byte) (0x80 | c & 63);
        }
    }

    private void put(char c) {
        reserve(1);
        bytes[length++] = (byte) c;
    }

    private void ascii(String text) {
        ascii(text, 0, text.length());
    }

    /** One copy by the platform, not one step for each character. */
    private void ascii(String text, int from, int to) {
        reserve(to - from);
        text.getBytes(from, to, bytes, length);
        length += to - from;
    }

    private void reserve(int more) {
        if (bytes.length - length < more) {
            bytes = Arrays.copyOf(bytes, Math.max(bytes.length * 2, length + more));
        }
    }
}
