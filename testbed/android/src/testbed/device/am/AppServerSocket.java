package testbed.device.am;

import java.io.IOException;
import java.net.InetAddress;
import java.net.ServerSocket;
import java.net.Socket;

/** A listening socket that closes, with all it accepted, when its app's process dies. */
public class AppServerSocket extends ServerSocket {
    private final String owner = AppExit.callingApp();

    public AppServerSocket() throws IOException {
        register();
    }

    public AppServerSocket(int port) throws IOException {
        super(port);
        register();
    }

    public AppServerSocket(int port, int backlog) throws IOException {
        super(port, backlog);
        register();
    }

    public AppServerSocket(int port, int backlog, InetAddress address) throws IOException {
        super(port, backlog, address);
        register();
    }

    private void register() throws IOException {
        // Android's listening sockets may be bound again at once.
        setReuseAddress(true);
        if (owner != null) Processes.own(owner, new Listener());
    }

    @Override
    public Socket accept() throws IOException {
        Socket socket = super.accept();
        if (owner != null) Processes.own(owner, new Accepted(socket));
        return socket;
    }

    private final class Listener implements Processes.Connection {
        @Override
        public boolean isOpen() {
            return !isClosed();
        }

        @Override
        public boolean isListening() {
            return true;
        }

        @Override
        public void reset() throws IOException {
            close();
        }

        @Override
        public void close() throws IOException {
            AppServerSocket.this.close();
        }
    }

    private static final class Accepted implements Processes.Connection {
        private final Socket socket;

        Accepted(Socket socket) {
            this.socket = socket;
        }

        @Override
        public boolean isOpen() {
            return !socket.isClosed();
        }

        @Override
        public boolean isListening() {
            return false;
        }

        @Override
        public void reset() throws IOException {
            socket.setSoLinger(true, 0);
            socket.close();
        }

        @Override
        public void close() throws IOException {
            socket.close();
        }
    }
}
