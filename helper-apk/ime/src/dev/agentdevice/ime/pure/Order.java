package dev.agentdevice.ime.pure;

import dev.agentdevice.session.Base64;

/** What a broadcast asks for, checked. */
public final class Order {
    public static final String PROTOCOL = "android-ime-helper-v1";
    public static final String PREFIX = "dev.agentdevice.ime.";
    public static final String INPUT_TEXT_B64 = PREFIX + "ACTION_INPUT_TEXT_B64";
    public static final String INPUT_TEXT = PREFIX + "ACTION_INPUT_TEXT";
    public static final String CLEAR_TEXT = PREFIX + "ACTION_CLEAR_TEXT";
    public static final String ENTER = PREFIX + "ACTION_ENTER";
    public static final String LEASE = PREFIX + "ACTION_LEASE";
    public static final String RESTORE = PREFIX + "ACTION_RESTORE";
    public static final String SESSION = PREFIX + "ACTION_SESSION";

    /** Results of an ordered broadcast. */
    public static final int DONE = -1;
    public static final int NO_CONNECTION = 1;
    public static final int REJECTED = 2;
    public static final int FAILED = 3;

    /** One broadcast is one binder call with a bound on its size; longer text comes in several. */
    private static final int MAX_BASE64 = 64000;
    private static final int MAX_TEXT = 32000;
    private static final int MIN_TOKEN = 16;

    /** Extras by name; null for those that are absent. */
    public interface Extras {
        String text(String name);
    }

    public final String action;
    /** The text to type, or null. */
    public final String text;
    public final String previous;
    public final long leaseMs;
    public final int port;
    public final String token;

    private Order(String action, Extras extras) {
        this.action = action;
        String protocol = extras.text("protocol");
        if (protocol != null && !protocol.equals(PROTOCOL)) {
            throw new IllegalArgumentException("unsupported protocol");
        }
        if (action.equals(INPUT_TEXT_B64)) {
            String given = wanted(extras, "text");
            if (given.length() > MAX_BASE64) {
                throw new IllegalArgumentException("text longer than " + MAX_BASE64 + " characters of base64; send it in parts");
            }
            text = Base64.decodeText(given);
        } else if (action.equals(INPUT_TEXT)) {
            text = wanted(extras, "text");
            if (text.length() > MAX_TEXT) {
                throw new IllegalArgumentException("text longer than " + MAX_TEXT + " characters; send it in parts");
            }
        } else {
            text = null;
        }
        previous = action.equals(LEASE) ? wanted(extras, "previous") : "";
        leaseMs = action.equals(LEASE) ? number(wanted(extras, "ms")) : 0;
        token = action.equals(SESSION) ? wanted(extras, "token") : "";
        port = action.equals(SESSION) ? (int) number(wanted(extras, "port")) : 0;
        if (action.equals(SESSION) && (port < 1 || port > 65535 || token.length() < MIN_TOKEN)) {
            throw new IllegalArgumentException("a session needs a port and a token of at least " + MIN_TOKEN + " characters");
        }
    }

    public static Order read(String action, Extras extras) {
        String known = String.valueOf(action);
        for (String one : new String[] {INPUT_TEXT_B64, INPUT_TEXT, CLEAR_TEXT, ENTER, LEASE, RESTORE, SESSION}) {
            if (one.equals(known)) {
                return new Order(known, extras);
            }
        }
        throw new IllegalArgumentException("unknown action");
    }

    private static String wanted(Extras extras, String name) {
        String value = extras.text(name);
        if (value == null) {
            throw new IllegalArgumentException(name + " is missing");
        }
        return value;
    }

    private static long number(String text) {
        if (!text.matches("[0-9]{1,10}")) {
            throw new IllegalArgumentException("not a number");
        }
        return Long.parseLong(text);
    }
}
