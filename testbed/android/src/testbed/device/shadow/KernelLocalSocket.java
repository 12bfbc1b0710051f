package testbed.device.shadow;

import android.net.Credentials;
import android.system.ErrnoException;
import java.io.FileDescriptor;
import java.io.IOException;
import java.net.SocketOptions;
import org.robolectric.annotation.ClassName;
import org.robolectric.annotation.Implementation;
import org.robolectric.annotation.Implements;
import testbed.device.am.LocalSockets;

/** The native half of a local socket. The rest of it is the framework's own code. */
@Implements(className = "android.net.LocalSocketImpl", isInAndroidSdk = false)
public class KernelLocalSocket {
    // Linux' numbers of these options.
    private static final int SO_SNDBUF = 7;
    private static final int SO_RCVBUF = 8;
    private static final int SO_RCVTIMEO = 20;
    private static final int SO_SNDTIMEO = 21;

    @Implementation
    protected int read_native(FileDescriptor descriptor) throws IOException {
        byte[] one = new byte[1];
        return LocalSockets.read(descriptor, one, 0, 1) < 0 ? -1 : one[0] & 0xff;
    }

    @Implementation
    protected int readba_native(byte[] into, int at, int count, FileDescriptor descriptor) throws IOException {
        return LocalSockets.read(descriptor, into, at, count);
    }

    @Implementation
    protected void write_native(int value, FileDescriptor descriptor) throws IOException {
        LocalSockets.write(descriptor, new byte[] {(byte) value}, 0, 1);
    }

    @Implementation
    protected void writeba_native(byte[] from, int at, int count, FileDescriptor descriptor) throws IOException {
        LocalSockets.write(descriptor, from, at, count);
    }

    @Implementation
    protected void connectLocal(FileDescriptor descriptor, String name, int namespace) throws IOException {
        LocalSockets.connect(descriptor, name, namespace);
    }

    @Implementation
    protected void bindLocal(FileDescriptor descriptor, String name, int namespace) throws IOException {
        LocalSockets.bind(descriptor, name, namespace);
    }

    @Implementation
    protected Credentials getPeerCredentials_native(FileDescriptor descriptor) throws IOException {
        int[] peer = answer(() -> LocalSockets.peer(descriptor));
        return new Credentials(peer[0], peer[1], peer[2]);
    }

    // API 23 has natives where later levels call android.system.Os.

    @Implementation(maxSdk = 23)
    protected void listen_native(FileDescriptor descriptor, int backlog) throws IOException {
        order(() -> LocalSockets.listen(descriptor, backlog));
    }

    @Implementation(maxSdk = 23)
    protected FileDescriptor accept(FileDescriptor descriptor, @ClassName("android.net.LocalSocketImpl") Object into) throws IOException {
        return answer(() -> LocalSockets.accept(descriptor));
    }

    @Implementation(maxSdk = 23)
    protected void shutdown(FileDescriptor descriptor, boolean input) {
        try {
            LocalSockets.shutdown(descriptor, input ? 0 : 1);
        } catch (ErrnoException e) {
            // The native says nothing either.
        }
    }

    @Implementation(maxSdk = 23)
    protected int available_native(FileDescriptor descriptor) throws IOException {
        return answer(() -> LocalSockets.available(descriptor));
    }

    @Implementation(maxSdk = 23)
    protected int pending_native(FileDescriptor descriptor) {
        return 0;
    }

    @Implementation(maxSdk = 23)
    protected int getOption_native(FileDescriptor descriptor, int option) throws IOException {
        if (option == SocketOptions.SO_TIMEOUT) return answer(() -> LocalSockets.getTimeout(descriptor, SO_RCVTIMEO));
        int buffer = buffer(option);
        return answer(() -> LocalSockets.getNumber(descriptor, buffer));
    }

    @Implementation(maxSdk = 23)
    protected void setOption_native(FileDescriptor descriptor, int option, int flag, int value) throws IOException {
        if (option == SocketOptions.SO_TIMEOUT) {
            order(() -> LocalSockets.setTimeout(descriptor, SO_RCVTIMEO, value));
            order(() -> LocalSockets.setTimeout(descriptor, SO_SNDTIMEO, value));
            return;
        }
        int buffer = buffer(option);
        order(() -> LocalSockets.setNumber(descriptor, buffer, value));
    }

    private static int buffer(int option) throws IOException {
        if (option == SocketOptions.SO_RCVBUF) return SO_RCVBUF;
        if (option == SocketOptions.SO_SNDBUF) return SO_SNDBUF;
        throw new IOException("Unknown option: " + option);
    }

    private interface Question<T> {
        T ask() throws ErrnoException;
    }

    private interface Order {
        void give() throws ErrnoException;
    }

    private static <T> T answer(Question<T> question) throws IOException {
        try {
            return question.ask();
        } catch (ErrnoException e) {
            throw e.rethrowAsIOException();
        }
    }

    private static void order(Order order) throws IOException {
        answer(() -> {
            order.give();
            return null;
        });
    }
}
