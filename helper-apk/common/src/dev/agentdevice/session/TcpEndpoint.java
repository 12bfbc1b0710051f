package dev.agentdevice.session;

import java.io.IOException;
import java.net.InetAddress;
import java.net.ServerSocket;

/** Loopback TCP: what older hosts speak. Every process of the device can reach it, so it deserves a token. */
public final class TcpEndpoint implements Endpoint {
    private final ServerSocket server;

    /** Port 0 takes any free one. */
    public TcpEndpoint(int port) throws IOException {
        server = new ServerSocket(port, 16, InetAddress.getByAddress(new byte[] {127, 0, 0, 1}));
    }

    public int port() {
        return server.getLocalPort();
    }

    @Override
    public String access() {
        return "open";
    }

    @Override
    public Connection accept() throws IOException {
        return new Connection(server.accept(), null);
    }

    @Override
    public void close() throws IOException {
        server.close();
    }
}
