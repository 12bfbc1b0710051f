package dev.agentdevice.session;

import java.io.Closeable;
import java.io.IOException;
import java.io.InputStream;
import java.io.OutputStream;

/** One accepted client. */
public interface Connection extends Closeable {
    InputStream input() throws IOException;

    OutputStream output() throws IOException;

    void setReadTimeout(int ms) throws IOException;

    void shutdownOutput() throws IOException;

    /** Why this peer may not talk, or null. */
    String refusal();
}
