package dev.agentdevice.session;

import java.io.IOException;
import java.io.OutputStream;
import java.nio.charset.StandardCharsets;
import java.util.LinkedHashMap;
import java.util.Map;

/** Header lines {@code key=value}, an empty line, then the body until the end of the stream. */
public final class Reply {
    private static final byte[] EMPTY = new byte[0];

    private final Map<String, String> headers = new LinkedHashMap<String, String>();
    private byte[] body = EMPTY;
    private int bodyLength;

    public Reply put(String key, Object value) {
        headers.put(key, String.valueOf(value));
        return this;
    }

    public Reply putAll(Map<String, String> values) {
        headers.putAll(values);
        return this;
    }

    /** Joined by commas; no header when there are none. */
    public Reply putList(String key, Iterable<String> words) {
        StringBuilder joined = new StringBuilder();
        for (String word : words) {
            joined.append(joined.length() == 0 ? "" : ",").append(word);
        }
        return joined.length() == 0 ? this : put(key, joined);
    }

    /** Puts the first {@code length} bytes after the headers, without a copy. */
    public Reply body(byte[] bytes, int length) {
        body = bytes;
        bodyLength = length;
        return put("byteLength", length);
    }

    public Reply error(Throwable error, boolean started) {
        put("ok", false);
        put("errorType", WireErrors.type(error));
        put("message", WireErrors.message(error));
        boolean begun = error instanceof Failure ? ((Failure) error).started() : started;
        put("started", begun);
        if (error instanceof Failure) {
            putAll(((Failure) error).facts());
        }
        return this;
    }

    public Map<String, String> headers() {
        return headers;
    }

    public void write(OutputStream out) throws IOException {
        StringBuilder head = new StringBuilder(512);
        for (Map.Entry<String, String> header : headers.entrySet()) {
            head.append(header.getKey()).append('=').append(oneLine(header.getValue())).append('\n');
        }
        head.append('\n');
        byte[] bytes = head.toString().getBytes(StandardCharsets.UTF_8);
        // One write for small replies: a header in a packet of its own costs a delayed acknowledgement on loopback TCP.
        if (bodyLength > 0 && bodyLength <= 16384) {
            byte[] all = java.util.Arrays.copyOf(bytes, bytes.length + bodyLength);
            System.arraycopy(body, 0, all, bytes.length, bodyLength);
            out.write(all);
        } else {
            out.write(bytes);
            out.write(body, 0, bodyLength);
        }
        out.flush();
    }

    /** A line break in a value would end the header, or forge another one. */
    public static String oneLine(String value) {
        return value.replace('\r', ' ').replace('\n', ' ');
    }
}
