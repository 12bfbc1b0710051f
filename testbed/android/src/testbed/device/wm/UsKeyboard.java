package testbed.device.wm;

import android.view.KeyEvent;
import java.util.HashMap;
import java.util.Map;

/** The US layout of the virtual keyboard: which key, with or without shift, makes which character. */
public final class UsKeyboard {
    private static final Map<Character, Integer> KEYS = new HashMap<>();
    private static final Map<Integer, Character> PLAIN = new HashMap<>();
    private static final Map<Integer, Character> SHIFTED = new HashMap<>();
    private static final int SHIFT = 1 << 16;

    static {
        for (char c = 'a'; c <= 'z'; c++) key(KeyEvent.KEYCODE_A + c - 'a', c, Character.toUpperCase(c));
        String shiftedDigits = ")!@#$%^&*(";
        for (char c = '0'; c <= '9'; c++) key(KeyEvent.KEYCODE_0 + c - '0', c, shiftedDigits.charAt(c - '0'));
        key(KeyEvent.KEYCODE_SPACE, ' ', ' ');
        key(KeyEvent.KEYCODE_COMMA, ',', '<');
        key(KeyEvent.KEYCODE_PERIOD, '.', '>');
        key(KeyEvent.KEYCODE_SLASH, '/', '?');
        key(KeyEvent.KEYCODE_GRAVE, '`', '~');
        key(KeyEvent.KEYCODE_MINUS, '-', '_');
        key(KeyEvent.KEYCODE_EQUALS, '=', '+');
        key(KeyEvent.KEYCODE_LEFT_BRACKET, '[', '{');
        key(KeyEvent.KEYCODE_RIGHT_BRACKET, ']', '}');
        key(KeyEvent.KEYCODE_BACKSLASH, '\\', '|');
        key(KeyEvent.KEYCODE_SEMICOLON, ';', ':');
        key(KeyEvent.KEYCODE_APOSTROPHE, '\'', '"');
        key(KeyEvent.KEYCODE_ENTER, '\n', '\n');
        key(KeyEvent.KEYCODE_TAB, '\t', '\t');
        PLAIN.put(KeyEvent.KEYCODE_AT, '@');
        PLAIN.put(KeyEvent.KEYCODE_POUND, '#');
        PLAIN.put(KeyEvent.KEYCODE_STAR, '*');
        PLAIN.put(KeyEvent.KEYCODE_PLUS, '+');
    }

    private UsKeyboard() {}

    private static void key(int code, char plain, char shifted) {
        PLAIN.put(code, plain);
        SHIFTED.put(code, shifted);
        KEYS.put(plain, code);
        if (shifted != plain) KEYS.put(shifted, code | SHIFT);
    }

    public static char character(int code, int meta) {
        Character found = (meta & KeyEvent.META_SHIFT_ON) != 0 ? SHIFTED.getOrDefault(code, PLAIN.get(code)) : PLAIN.get(code);
        // Control and alt make no characters.
        return found == null || (meta & (KeyEvent.META_CTRL_ON | KeyEvent.META_ALT_ON)) != 0 ? 0 : found;
    }

    /** Key code, or 0 for a character that this keyboard doesn't have. */
    public static int code(char c) {
        return KEYS.getOrDefault(c, 0) & ~SHIFT;
    }

    public static boolean shifted(char c) {
        return (KEYS.getOrDefault(c, 0) & SHIFT) != 0;
    }
}
