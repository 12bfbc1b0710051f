package dev.agentdevice.helper.touch;

import dev.agentdevice.session.WireErrors;

import java.util.ArrayList;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;

/**
 * A strict reader of JSON: objects as maps, arrays as lists, numbers as Double, null as {@link #NULL}. Android's own parser
 * exists on the device only and takes text that is no JSON.
 */
public final class Json {
    public static final Object NULL = new Object();
    private static final int MAX_DEPTH = 16;

    /** Hosts know this failure under the name of Android's parser. */
    public static final class SyntaxException extends IllegalArgumentException implements WireErrors.Named {
        SyntaxException(String message) {
            super(message);
        }

        @Override
        public String wireName() {
            return "org.json.JSONException";
        }
    }

    private final String text;
    private int at;

    private Json(String text) {
        this.text = text;
    }

    public static Object parse(String text) {
        Json json = new Json(text);
        Object value = json.value(0);
        json.space();
        if (json.at < text.length()) {
            throw json.error("text after the end");
        }
        return value;
    }

    private SyntaxException error(String what) {
        return new SyntaxException(what + " at character " + at);
    }

    private void space() {
        while (at < text.length() && " \t\r\n".indexOf(text.charAt(at)) >= 0) {
            at++;
        }
    }

    private char peek() {
        if (at >= text.length()) {
            throw error("unexpected end");
        }
        return text.charAt(at);
    }

    private boolean skip(char c) {
        space();
        if (peek() != c) {
            return false;
        }
        at++;
        return true;
    }

    private Object value(int depth) {
        if (depth > MAX_DEPTH) {
            throw error("nested too deeply");
        }
        space();
        switch (peek()) {
            case '{':
                return object(depth);
            case '[':
                return array(depth);
            case '"':
                return string();
            case 't':
                return word("true", Boolean.TRUE);
            case 'f':
                return word("false", Boolean.FALSE);
            case 'n':
                return word("null", NULL);
            default:
                return number();
        }
    }

    private Map<String, Object> object(int depth) {
        Map<String, Object> out = new LinkedHashMap<String, Object>();
        at++;
        if (skip('}')) {
            return out;
        }
        do {
            space();
            if (peek() != '"') {
                throw error("expected a name");
            }
            String name = string();
            if (!skip(':')) {
                throw error("expected a colon");
            }
            if (out.put(name, value(depth + 1)) != null) {
                throw error("name given twice");
            }
        } while (skip(','));
        if (!skip('}')) {
            throw error("expected a comma or the end of the object");
        }
        return out;
    }

    private List<Object> array(int depth) {
        List<Object> out = new ArrayList<Object>();
        at++;
        if (skip(']')) {
            return out;
        }
        do {
            out.add(value(depth + 1));
        } while (skip(','));
        if (!skip(']')) {
            throw error("expected a comma or the end of the array");
        }
        return out;
    }

    private Object word(String word, Object value) {
        if (!text.startsWith(word, at)) {
            throw error("unexpected word");
        }
        at += word.length();
        return value;
    }

    private Double number() {
        int start = at;
        while (at < text.length() && "+-.0123456789eE".indexOf(text.charAt(at)) >= 0) {
            at++;
        }
        String number = text.substring(start, at);
        // Double.valueOf also takes "1." and "+1", which JSON does not.
        if (!number.matches("-?(0|[1-9][0-9]*)(\\.[0-9]+)?([eE][+-]?[0-9]+)?")) {
            at = start;
            throw error("expected a value");
        }
        return Double.valueOf(number);
    }

    private String string() {
        StringBuilder out = new StringBuilder();
        at++;
        while (true) {
            char c = peek();
            at++;
            if (c == '"') {
                return out.toString();
            }
            if (c < ' ') {
                throw error("control character in a string");
            }
            out.append(c == '\\' ? escape() : c);
        }
    }

    private char escape() {
        char c = peek();
        at++;
        int simple = "\"\\/bfnrt".indexOf(c);
        if (simple >= 0) {
            return "\"\\/\b\f\n\r\t".charAt(simple);
        }
        if (c != 'u' || at + 4 > text.length() || !text.substring(at, at + 4).matches("[0-9a-fA-F]{4}")) {
            throw error("unknown escape");
        }
        at += 4;
        return (char) Integer.parseInt(text.substring(at - 4, at), 16);
    }
}
