package dev.agentdevice.platform;

import android.net.LocalServerSocket;
import android.net.LocalSocket;
import android.net.LocalSocketAddress;
import android.os.Process;
import android.system.ErrnoException;
import android.system.Os;
import android.system.OsConstants;

import dev.agentdevice.session.Connection;
import dev.agentdevice.session.Endpoint;

import java.io.IOException;
import java.io.InputStream;
import java.io.OutputStream;
import java.net.Socket;
import java.net.SocketException;

/**
 * A socket in the abstract namespace that only root and shell may talk to, which are the two uids that adbd runs as. Unlike a
 * TCP port no other app can use it, and two devices never fight over its name.
 */
public final class LocalEndpoint implements Endpoint {
    private static final int ROOT_UID = 0;
    private static final int SHELL_UID = 2000;

    private final String name;
    private final LocalServerSocket server;
    private volatile boolean closed;

    public LocalEndpoint(String name) throws IOException {
        this.name = name;
        server = new LocalServerSocket(name);
    }

    @Override
    public String access() {
        return "peer-uid";
    }

    @Override
    public Connection accept() throws IOException {
        LocalSocket socket = server.accept();
        if (closed) {
            socket.close();
            throw new IOException("closed");
        }
        return new Connection(new Client(socket), refusal(socket));
    }

    @Override
    public void close() throws IOException {
        if (closed) {
            return;
        }
        closed = true;
        // close() alone leaves a blocked accept() blocked.
        try {
            Os.shutdown(server.getFileDescriptor(), OsConstants.SHUT_RDWR);
        } catch (ErrnoException e) {
            wake();
        }
        server.close();
    }

    private void wake() {
        LocalSocket self = new LocalSocket();
        try {
            self.connect(new LocalSocketAddress(name));
            self.close();
        } catch (IOException e) {
            // Nobody accepts any more.
        }
    }

    private static String refusal(LocalSocket socket) {
        try {
            int uid = socket.getPeerCredentials().getUid();
            return uid == ROOT_UID || uid == SHELL_UID ? null : "uid " + uid + " may not talk to uid " + Process.myUid();
        } catch (IOException e) {
            return "peer without credentials";
        }
    }

    /** Local sockets can what Java's can, without being any: as much of it as a session uses. */
    private static final class Client extends Socket {
        private final LocalSocket local;

        Client(LocalSocket local) {
            this.local = local;
        }

        @Override
        public InputStream getInputStream() throws IOException {
            return local.getInputStream();
        }

        @Override
        public OutputStream getOutputStream() throws IOException {
            return local.getOutputStream();
        }

        @Override
        public void setSoTimeout(int ms) throws SocketException {
            try {
                local.setSoTimeout(ms);
            } catch (IOException e) {
                throw new SocketException(e.getMessage());
            }
        }

        @Override
        public void shutdownOutput() throws IOException {
            local.shutdownOutput();
        }

        @Override
        public void close() throws IOException {
            local.close();
        }
    }
}
