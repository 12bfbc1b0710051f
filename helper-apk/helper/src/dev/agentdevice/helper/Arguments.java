package dev.agentdevice.helper;

import java.util.ArrayList;
import java.util.List;
import java.util.Map;

/**
 * What a run was asked for. Unreadable numbers fall back to their default, numbers out of range are clamped and named in
 * {@link #clamped}, so that the host can say what was really done.
 */
public final class Arguments {
    public static final String MODE_SNAPSHOT = "snapshot";
    public static final String MODE_VIEWPORT = "viewport";
    public static final String MODE_GESTURE = "gesture";

    /** Where the values come from. */
    public interface Source {
        /** The value, or null. */
        String get(String key);
    }

    public final String mode;
    public final CaptureOptions capture;
    public final String outputPath;
    public final boolean emitChunks;
    public final int sessionPort;
    public final String sessionSocket;
    public final String sessionToken;
    public final long sessionIdleTimeoutMs;
    public final String payloadBase64;
    public final List<String> clamped;

    private Arguments(Reader in) {
        String given = in.text("mode");
        mode = given.isEmpty() ? MODE_SNAPSHOT : given;
        capture = new CaptureOptions(in);
        outputPath = in.text("outputPath");
        emitChunks = in.flag("emitChunks", true);
        int port = (int) in.number("sessionPort", 0, 0, Integer.MAX_VALUE);
        if (port > 65535) {
            throw new IllegalArgumentException("sessionPort " + port + " is no port");
        }
        sessionPort = port;
        sessionSocket = in.text("sessionSocket");
        sessionToken = in.text("sessionToken");
        sessionIdleTimeoutMs = in.number("sessionIdleTimeoutMs", 300000, 0, 86400000);
        payloadBase64 = in.text("payloadBase64");
        clamped = in.clamped;
        if (sessionPort > 0 && !sessionSocket.isEmpty()) {
            throw new IllegalArgumentException("sessionPort and sessionSocket exclude each other");
        }
    }

    public static Arguments read(Source source) {
        return new Arguments(new Reader(source));
    }

    public boolean session() {
        return mode.equals(MODE_SNAPSHOT) && (sessionPort > 0 || !sessionSocket.isEmpty());
    }

    /** How a capture is made. */
    public static final class CaptureOptions {
        public final long waitForIdleTimeoutMs;
        public final long waitForIdleQuietMs;
        public final long timeoutMs;
        public final int maxDepth;
        public final int maxNodes;
        /** Bounds the walk, which {@link #timeoutMs} never did: a hung app costs 5 s for each of its nodes. */
        public final long walkTimeoutMs;

        CaptureOptions(Reader in) {
            waitForIdleTimeoutMs = in.number("waitForIdleTimeoutMs", 500, 0, 60000);
            waitForIdleQuietMs = in.number("waitForIdleQuietMs", 100, 0, 60000);
            timeoutMs = in.number("timeoutMs", 8000, 0, 120000);
            maxDepth = (int) in.number("maxDepth", 128, 0, 4096);
            maxNodes = (int) in.number("maxNodes", 5000, 0, 100000);
            walkTimeoutMs = in.number("walkTimeoutMs", 20000, 1, 120000);
        }

        /** These options, with those in {@code name=value,name=value} changed. */
        public CaptureOptions with(String changes, List<String> clamped) {
            if (changes.isEmpty()) {
                return this;
            }
            final Map<String, String> values = echo();
            for (String change : changes.split(",", -1)) {
                int split = change.indexOf('=');
                if (split <= 0 || !values.containsKey(change.substring(0, split))) {
                    throw new IllegalArgumentException("unknown snapshot option");
                }
                String value = change.substring(split + 1);
                try {
                    Long.parseLong(value);
                } catch (NumberFormatException e) {
                    throw new IllegalArgumentException("snapshot option is not a number");
                }
                values.put(change.substring(0, split), value);
            }
            Reader in = new Reader(new Source() {
                @Override
                public String get(String key) {
                    return values.get(key);
                }
            });
            CaptureOptions changed = new CaptureOptions(in);
            clamped.addAll(in.clamped);
            return changed;
        }

        public long effectiveQuietMs() {
            return Math.min(waitForIdleQuietMs, waitForIdleTimeoutMs);
        }

        public Map<String, String> echo() {
            Map<String, String> out = new java.util.LinkedHashMap<String, String>();
            out.put("waitForIdleTimeoutMs", Long.toString(waitForIdleTimeoutMs));
            out.put("waitForIdleQuietMs", Long.toString(waitForIdleQuietMs));
            out.put("timeoutMs", Long.toString(timeoutMs));
            out.put("maxDepth", Integer.toString(maxDepth));
            out.put("maxNodes", Integer.toString(maxNodes));
            out.put("walkTimeoutMs", Long.toString(walkTimeoutMs));
            return out;
        }
    }

    private static final class Reader {
        final Source source;
        final List<String> clamped = new ArrayList<String>();

        Reader(Source source) {
            this.source = source;
        }

        String text(String key) {
            String value = source.get(key);
            return value == null ? "" : value.trim();
        }

        boolean flag(String key, boolean fallback) {
            String value = text(key);
            return value.isEmpty() ? fallback : value.equalsIgnoreCase("true");
        }

        long number(String key, long fallback, long min, long max) {
            long value;
            try {
                value = Long.parseLong(text(key));
            } catch (NumberFormatException e) {
                return fallback;
            }
            if (value < min || value > max) {
                clamped.add(key);
                return value < min ? min : max;
            }
            return value;
        }
    }
}
