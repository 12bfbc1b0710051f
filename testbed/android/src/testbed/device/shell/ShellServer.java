package testbed.device.shell;

import java.io.File;
import java.io.IOException;
import java.net.StandardProtocolFamily;
import java.net.UnixDomainSocketAddress;
import java.nio.channels.Channels;
import java.nio.channels.ServerSocketChannel;
import java.nio.channels.SocketChannel;
import java.util.Arrays;
import testbed.device.Faults;
import testbed.device.LogBuffer;

/** Takes the connections of the clients in /system/bin, one thread each. */
public final class ShellServer {
    private ShellServer() {}

    public static void start(File path) throws IOException {
        listen(path, ShellServer::serve);
    }

    private interface Service {
        void serve(SocketChannel channel) throws Exception;
    }

    private static void listen(File path, Service service) throws IOException {
        path.delete();
        ServerSocketChannel server = ServerSocketChannel.open(StandardProtocolFamily.UNIX);
        server.bind(UnixDomainSocketAddress.of(path.toPath()));
        path.setReadable(true, false);
        path.setWritable(true, false);
        Thread thread = new Thread(() -> {
            while (true) {
                try {
                    SocketChannel channel = server.accept();
                    Thread worker = new Thread(() -> {
                        try (channel) {
                            service.serve(channel);
                        } catch (Exception e) {
                            LogBuffer.error("Shell", e.toString());
                        }
                    }, "shell");
                    worker.setDaemon(true);
                    worker.start();
                } catch (IOException e) {
                    LogBuffer.error("Shell", e.toString());
                    return;
                }
            }
        }, "shell-accept");
        thread.setDaemon(true);
        thread.start();
    }

    private static void serve(SocketChannel channel) throws Exception {
        Wire wire = new Wire(Channels.newInputStream(channel), Channels.newOutputStream(channel));
        String[] request = wire.readRequest();
        Call call = new Call(request[0], request[1], Arrays.asList(request).subList(2, request.length), wire.stream(1), wire.stream(2), wire);
        Thread pump = new Thread(wire::pump, "shell-in");
        pump.setDaemon(true);
        pump.start();
        if (Faults.intercept(call)) {
            // Closing without an exit code is how a command that was killed looks to its client.
            call.flush();
            return;
        }
        int code = Commands.run(call);
        call.flush();
        try {
            wire.exit(code);
        } catch (IOException e) {
            // The caller didn't wait.
        }
    }
}
