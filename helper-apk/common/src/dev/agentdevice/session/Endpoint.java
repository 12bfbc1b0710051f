package dev.agentdevice.session;

import java.io.Closeable;
import java.io.IOException;

/** Where clients come from. {@link #close} makes a blocked {@link #accept} throw. */
public interface Endpoint extends Closeable {
    Connection accept() throws IOException;

    /** What keeps strangers out: {@code open}, {@code token} or {@code peer-uid}. */
    String access();
}
