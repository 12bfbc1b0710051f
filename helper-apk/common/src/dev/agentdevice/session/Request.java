package dev.agentdevice.session;

/**
 * One line of a client: {@code [@key=value ...] <action> <requestId> [<payload>]}. Words that start with {@code @} are an
 * extension; a line without them reads as it always did.
 */
public final class Request {
    private static final int UNSET = -1;

    public final String action;
    public final String id;
    /** The rest of the line, or empty. */
    public final String payload;
    /** The shared secret that came with the request, or empty. */
    public final String token;
    /** How long the request may wait for its turn; negative = for ever. */
    public final long ttlMs;

    private Request(String action, String id, String payload, String token, long ttlMs) {
        this.action = action;
        this.id = id;
        this.payload = payload;
        this.token = token;
        this.ttlMs = ttlMs;
    }

    public static Request parse(String line) {
        String rest = line.trim();
        String token = "";
        long ttl = UNSET;
        while (rest.startsWith("@")) {
            String word = firstWord(rest);
            rest = rest.substring(word.length()).trim();
            if (word.startsWith("@token=")) {
                token = word.substring("@token=".length());
            } else if (word.startsWith("@ttl=")) {
                ttl = ttl(word.substring("@ttl=".length()));
            } else {
                // Never with its value: it may be a secret.
                throw new IllegalArgumentException("unknown request option");
            }
        }
        String action = firstWord(rest);
        rest = rest.substring(action.length()).trim();
        String id = firstWord(rest);
        return new Request(action, id, rest.substring(id.length()).trim(), token, ttl);
    }

    private static String firstWord(String text) {
        int end = 0;
        while (end < text.length() && text.charAt(end) > ' ') {
            end++;
        }
        return text.substring(0, end);
    }

    private static long ttl(String text) {
        try {
            long value = Long.parseLong(text);
            if (value >= 0) {
                return value;
            }
        } catch (NumberFormatException e) {
            // Falls through to the refusal.
        }
        throw new IllegalArgumentException("ttl is not a number of milliseconds");
    }
}
