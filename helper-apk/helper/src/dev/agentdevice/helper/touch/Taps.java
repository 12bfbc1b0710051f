package dev.agentdevice.helper.touch;

/** The payload {@code x,y[,holdMs[,count[,gapMs[,aim]]]]} of a tap. */
public final class Taps {
    /** One frame: what a quick finger takes at least. */
    private static final int DEFAULT_HOLD_MS = 16;
    /** Between Android's shortest (40) and longest (300) gap of a double tap. */
    private static final int DEFAULT_GAP_MS = 80;
    private static final int MAX_HOLD_MS = 60000;

    public final float x;
    public final float y;
    public final int holdMs;
    public final int count;
    public final int gapMs;
    /** What it is meant for; null = whatever is there. */
    public final Aim aim;

    private Taps(float x, float y, int holdMs, int count, int gapMs, Aim aim) {
        this.x = x;
        this.y = y;
        this.holdMs = holdMs;
        this.count = count;
        this.gapMs = gapMs;
        this.aim = aim;
    }

    public static Taps parse(String payload) {
        String[] parts = payload.split(",", -1);
        if (parts.length < 2 || parts.length > 6) {
            throw new IllegalArgumentException("a tap is x,y[,holdMs[,count[,gapMs[,aim]]]]");
        }
        return new Taps(coordinate(parts[0]), coordinate(parts[1]),
                number(parts, 2, DEFAULT_HOLD_MS, 0, MAX_HOLD_MS),
                number(parts, 3, 1, 1, 10),
                number(parts, 4, DEFAULT_GAP_MS, 0, 1000),
                parts.length == 6 ? Aim.fromBase64(parts[5]) : null);
    }

    private static float coordinate(String text) {
        if (!text.matches("-?[0-9]{1,7}(\\.[0-9]{1,6})?")) {
            throw new IllegalArgumentException("a coordinate is a decimal number");
        }
        return Float.parseFloat(text);
    }

    private static int number(String[] parts, int at, int fallback, int min, int max) {
        if (at >= parts.length || parts[at].isEmpty()) {
            return fallback;
        }
        if (!parts[at].matches("[0-9]{1,7}")) {
            throw new IllegalArgumentException("a tap's numbers are whole");
        }
        int value = Integer.parseInt(parts[at]);
        if (value < min || value > max) {
            throw new IllegalArgumentException("a tap's number lies outside " + min + ".." + max);
        }
        return value;
    }
}
