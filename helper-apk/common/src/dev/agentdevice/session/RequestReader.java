package dev.agentdevice.session;

import java.io.EOFException;
import java.io.IOException;
import java.io.InputStream;
import java.net.Socket;
import java.net.SocketTimeoutException;
import java.nio.charset.StandardCharsets;

/** Reads one line with a bound on its bytes and on the whole time, so that neither silence nor a trickle holds the session. */
final class RequestReader {
    /** The line was longer than allowed; what follows of it is still unread. */
    static final class TooLong extends IllegalArgumentException {
        TooLong(int limit) {
            super("request longer than " + limit + " bytes");
        }
    }

    private final int maxBytes;
    private final long timeoutMs;
    private final Clock clock;

    RequestReader(int maxBytes, long timeoutMs, Clock clock) {
        this.maxBytes = maxBytes;
        this.timeoutMs = timeoutMs;
        this.clock = clock;
    }

    /**
     * The line without its end. A line that the end of the stream cuts off is refused: half of "tap 1 100,250" is a tap
     * somewhere else.
     */
    String read(Socket socket) throws IOException {
        long deadline = clock.nowMs() + timeoutMs;
        InputStream in = socket.getInputStream();
        byte[] buffer = new byte[512];
        int length = 0;
        while (true) {
            long left = deadline - clock.nowMs();
            if (left <= 0) {
                throw late(length);
            }
            socket.setSoTimeout((int) left);
            int read;
            try {
                read = in.read(buffer, length, buffer.length - length);
            } catch (IOException e) {
                // Local sockets report a read timeout as a plain IOException.
                if (clock.nowMs() >= deadline) {
                    throw late(length);
                }
                throw e;
            }
            if (read < 0) {
                throw new EOFException(length == 0 ? "empty command" : "command not ended by a newline");
            }
            for (int i = length; i < length + read; i++) {
                if (buffer[i] == '\n') {
                    return new String(buffer, 0, i, StandardCharsets.UTF_8);
                }
            }
            length += read;
            if (length >= maxBytes) {
                throw new TooLong(maxBytes);
            }
            if (length == buffer.length) {
                buffer = java.util.Arrays.copyOf(buffer, Math.min(maxBytes, buffer.length * 2));
            }
        }
    }

    private SocketTimeoutException late(int length) {
        return new SocketTimeoutException("no complete command after " + timeoutMs + " ms, " + length + " bytes read");
    }
}
