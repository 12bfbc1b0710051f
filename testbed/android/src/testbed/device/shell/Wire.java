package testbed.device.shell;

import java.io.DataInputStream;
import java.io.DataOutputStream;
import java.io.IOException;
import java.io.InputStream;
import java.io.OutputStream;
import java.io.PipedInputStream;
import java.io.PipedOutputStream;

/** The frames of one client connection; see native/device-client.c. */
final class Wire {
    private static final int MAX_REQUEST = 4 << 20;
    private static final int MAX_FRAME = 1 << 20;

    private final DataInputStream from;
    private final DataOutputStream to;
    private PipedInputStream input;
    private PipedOutputStream feed;
    private volatile boolean closed;
    private Runnable onClosed;

    Wire(InputStream from, OutputStream to) {
        this.from = new DataInputStream(from);
        this.to = new DataOutputStream(to);
    }

    String[] readRequest() throws IOException {
        int length = from.readInt();
        if (length < 2 || length > MAX_REQUEST) throw new IOException("request of " + length + " bytes");
        byte[] bytes = new byte[length];
        from.readFully(bytes);
        return new String(bytes, 0, length - 1, "UTF-8").split("\0", -1);
    }

    OutputStream stream(int kind) {
        return new OutputStream() {
            @Override
            public void write(int b) throws IOException {
                write(new byte[] {(byte) b}, 0, 1);
            }

            @Override
            public void write(byte[] bytes, int start, int length) throws IOException {
                if (length > 0) send(kind, bytes, start, length);
            }
        };
    }

    void exit(int code) throws IOException {
        send(3, new byte[] {(byte) code}, 0, 1);
    }

    private synchronized void send(int kind, byte[] bytes, int start, int length) throws IOException {
        to.writeByte(kind);
        to.writeInt(length);
        to.write(bytes, start, length);
        to.flush();
    }

    synchronized InputStream input() throws IOException {
        if (input == null) {
            input = new PipedInputStream(1 << 18);
            feed = new PipedOutputStream(input);
            send(4, new byte[0], 0, 0);
        }
        return input;
    }

    boolean closed() {
        return closed;
    }

    void onClosed(Runnable reaction) {
        synchronized (this) {
            if (!closed) {
                onClosed = reaction;
                return;
            }
        }
        reaction.run();
    }

    /** Reads what the client sends until it goes. */
    void pump() {
        try {
            while (true) {
                int kind = from.readUnsignedByte();
                int length = from.readInt();
                if (length < 0 || length > MAX_FRAME) break;
                byte[] bytes = new byte[length];
                from.readFully(bytes);
                if (kind != 0 || feed == null) continue;
                if (length == 0) feed.close();
                else feed.write(bytes);
            }
        } catch (IOException e) {
            // The client went, which is said below.
        }
        Runnable reaction;
        synchronized (this) {
            closed = true;
            reaction = onClosed;
        }
        try {
            if (feed != null) feed.close();
        } catch (IOException e) {
            // Nobody reads it any more.
        }
        if (reaction != null) reaction.run();
    }
}
