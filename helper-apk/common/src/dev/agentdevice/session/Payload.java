package dev.agentdevice.session;

/** How the payload of a command is read. What can't be read is refused before anything happens. */
public abstract class Payload<T> {
    /** For commands that need none; what comes all the same is not looked at. */
    public static final Payload<Void> NONE = new Payload<Void>() {
        @Override
        public Void read(String payload) {
            return null;
        }
    };

    /** Base64 of UTF-8. */
    public static final Payload<String> TEXT = new Payload<String>() {
        @Override
        public String read(String payload) {
            return Base64.decodeText(payload);
        }
    };

    public abstract T read(String payload) throws Exception;

    /** A whole number that may be left out. */
    public static Payload<Long> number(final long fallback, final long max) {
        return new Payload<Long>() {
            @Override
            public Long read(String payload) {
                return payload.isEmpty() ? fallback : wholeNumber(payload, max);
            }
        };
    }

    /** Without a sign, and not above {@code max}. */
    public static long wholeNumber(String text, long max) {
        if (text.matches("[0-9]{1,10}")) {
            long value = Long.parseLong(text);
            if (value <= max) {
                return value;
            }
        }
        throw new IllegalArgumentException("not a whole number up to " + max);
    }
}
