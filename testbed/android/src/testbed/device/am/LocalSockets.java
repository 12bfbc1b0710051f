package testbed.device.am;

import android.system.ErrnoException;
import java.io.FileDescriptor;
import java.io.IOException;
import java.nio.charset.StandardCharsets;
import java.util.Collections;
import java.util.IdentityHashMap;
import java.util.Map;
import testbed.device.Reflect;
import testbed.device.pm.App;
import testbed.device.pm.Packages;

/**
 * The kernel's Unix sockets under android.net.LocalSocket and android.system.Os, in the device's own network namespace, where
 * adbd finds them too. The other end sees the uid of the app; the app's death closes them.
 */
public final class LocalSockets {
    private static final int ABSTRACT = 0;
    private static final int RESERVED = 1;
    private static final int EBADF = 9;
    private static final int SHUT_RDWR = 2;
    private static final int SYSTEM_UID = 1000;
    private static final Map<FileDescriptor, Held> OPEN = Collections.synchronizedMap(new IdentityHashMap<>());

    /** A socket that goes with its app's process. */
    private static final class Held implements Processes.Connection {
        final FileDescriptor descriptor;
        final String owner;
        volatile boolean listens;

        Held(FileDescriptor descriptor, String owner) {
            this.descriptor = descriptor;
            this.owner = owner;
        }

        @Override
        public boolean isOpen() {
            return OPEN.get(descriptor) == this;
        }

        @Override
        public boolean isListening() {
            return listens;
        }

        @Override
        public void reset() {
            // The kernel has no reset for these: both directions end, which also wakes those who wait.
            testbed.boot.LocalSockets.shutdown(number(descriptor), SHUT_RDWR);
        }

        @Override
        public void close() {
            reset();
            LocalSockets.close(descriptor);
        }
    }

    private LocalSockets() {}

    /** Whether a descriptor is one of these. */
    public static boolean owns(FileDescriptor descriptor) {
        return OPEN.containsKey(descriptor);
    }

    public static FileDescriptor socket(int kind) throws ErrnoException {
        return adopt(checked("socket", testbed.boot.LocalSockets.socket(kind)), AppExit.callingApp());
    }

    public static void pair(int kind, FileDescriptor one, FileDescriptor other) throws ErrnoException {
        int[] numbers = new int[2];
        checked("socketpair", testbed.boot.LocalSockets.pair(kind, numbers));
        String owner = AppExit.callingApp();
        adopt(one, numbers[0], owner);
        adopt(other, numbers[1], owner);
    }

    public static void bind(FileDescriptor descriptor, String name, int namespace) throws IOException {
        spoken(testbed.boot.LocalSockets.bind(number(descriptor), path(name, namespace), namespace == ABSTRACT));
    }

    public static void connect(FileDescriptor descriptor, String name, int namespace) throws IOException {
        spoken(testbed.boot.LocalSockets.connect(number(descriptor), path(name, namespace), namespace == ABSTRACT, uid(descriptor)));
    }

    public static void listen(FileDescriptor descriptor, int backlog) throws ErrnoException {
        checked("listen", testbed.boot.LocalSockets.listen(number(descriptor), backlog, uid(descriptor)));
        Held held = OPEN.get(descriptor);
        if (held != null) held.listens = true;
    }

    public static FileDescriptor accept(FileDescriptor descriptor) throws ErrnoException {
        Held held = OPEN.get(descriptor);
        return adopt(checked("accept", testbed.boot.LocalSockets.accept(number(descriptor))), held == null ? null : held.owner);
    }

    public static int read(FileDescriptor descriptor, byte[] into, int at, int count) throws IOException {
        if (count == 0) return 0;
        int got = spoken(testbed.boot.LocalSockets.read(number(descriptor), into, at, count));
        return got == 0 ? -1 : got;
    }

    public static void write(FileDescriptor descriptor, byte[] from, int at, int count) throws IOException {
        spoken(testbed.boot.LocalSockets.write(number(descriptor), from, at, count));
    }

    public static void shutdown(FileDescriptor descriptor, int how) throws ErrnoException {
        checked("shutdown", testbed.boot.LocalSockets.shutdown(number(descriptor), how));
    }

    public static void close(FileDescriptor descriptor) {
        if (OPEN.remove(descriptor) == null) return;
        int number = number(descriptor);
        Reflect.set(descriptor, "fd", -1);
        testbed.boot.LocalSockets.close(number);
    }

    public static int available(FileDescriptor descriptor) throws ErrnoException {
        return checked("ioctl", testbed.boot.LocalSockets.available(number(descriptor)));
    }

    /** Pid, uid and gid of the other end. */
    public static int[] peer(FileDescriptor descriptor) throws ErrnoException {
        int[] values = new int[3];
        checked("getsockopt", testbed.boot.LocalSockets.peer(number(descriptor), values));
        return values;
    }

    public static void setTimeout(FileDescriptor descriptor, int option, int millis) throws ErrnoException {
        checked("setsockopt", testbed.boot.LocalSockets.setTimeout(number(descriptor), option, millis));
    }

    public static int getTimeout(FileDescriptor descriptor, int option) throws ErrnoException {
        return checked("getsockopt", testbed.boot.LocalSockets.getTimeout(number(descriptor), option));
    }

    public static void setNumber(FileDescriptor descriptor, int option, int value) throws ErrnoException {
        checked("setsockopt", testbed.boot.LocalSockets.setNumber(number(descriptor), option, value));
    }

    public static int getNumber(FileDescriptor descriptor, int option) throws ErrnoException {
        return checked("getsockopt", testbed.boot.LocalSockets.getNumber(number(descriptor), option));
    }

    private static FileDescriptor adopt(int number, String owner) {
        return adopt(new FileDescriptor(), number, owner);
    }

    private static FileDescriptor adopt(FileDescriptor descriptor, int number, String owner) {
        Reflect.set(descriptor, "fd", number);
        Held held = new Held(descriptor, owner);
        OPEN.put(descriptor, held);
        if (owner != null) Processes.own(owner, held);
        return descriptor;
    }

    private static int uid(FileDescriptor descriptor) {
        Held held = OPEN.get(descriptor);
        App app = held == null || held.owner == null ? null : Packages.get(held.owner);
        return app == null ? SYSTEM_UID : app.uid;
    }

    private static int number(FileDescriptor descriptor) {
        return descriptor == null ? -1 : Reflect.<Integer>get(descriptor, "fd");
    }

    private static byte[] path(String name, int namespace) {
        return (namespace == RESERVED ? "/dev/socket/" + name : name).getBytes(StandardCharsets.UTF_8);
    }

    private static int checked(String call, int result) throws ErrnoException {
        if (result < 0) throw new ErrnoException(call, -result);
        return result;
    }

    private static int spoken(int result) throws IOException {
        if (result < 0) throw new IOException(words(-result));
        return result;
    }

    private static String words(int errno) {
        switch (errno) {
            case EBADF: return "Bad file descriptor";
            case 11: return "Try again";
            case 13: return "Permission denied";
            case 32: return "Broken pipe";
            case 36: return "File name too long";
            case 98: return "Address already in use";
            case 104: return "Connection reset by peer";
            case 107: return "Transport endpoint is not connected";
            case 111: return "Connection refused";
            default: return "errno " + errno;
        }
    }
}
