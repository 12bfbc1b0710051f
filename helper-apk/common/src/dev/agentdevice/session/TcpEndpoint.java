package dev.agentdevice.session;

import java.io.IOException;
import java.io.InputStream;
import java.io.OutputStream;
import java.net.InetAddress;
import java.net.ServerSocket;
import java.net.Socket;

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
        final Socket socket = server.accept();
        return new Connection() {
            @Override
            public InputStream input() throws IOException {
                return socket.getInputStream();
            }

            @Override
            public OutputStream output() throws IOException {
                return socket.getOutputStream();
            }

            @Override
            public void setReadTimeout(int ms) throws IOException {
                socket.setSoTimeout(ms);
            }

            @Override
            public void shutdownOutput() throws IOException {
                socket.shutdownOutput();
            }

            @Override
            public String refusal() {
                return null;
            }

            @Override
            public void close() throws IOException {
                socket.close();
            }
        };
    }

    @Override
    public void close() throws IOException {
        server.close();
    }
}
