package dev.agentdevice.session;

import java.net.Socket;

/** One accepted client. */
public final class Connection {
    public final Socket socket;
    /** Why this peer may not talk, or null. */
    public final String refusal;

    public Connection(Socket socket, String refusal) {
        this.socket = socket;
        this.refusal = refusal;
    }
}
