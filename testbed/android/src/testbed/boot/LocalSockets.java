package testbed.boot;

/** native/local-sockets.c. Every function answers a negative errno when it fails. */
public final class LocalSockets {
    static {
        System.loadLibrary("localsockets");
    }

    private LocalSockets() {}

    public static native int socket(int kind);

    public static native int pair(int kind, int[] into);

    public static native int bind(int fd, byte[] name, boolean abstractName);

    /** The uid is what the other end sees. */
    public static native int connect(int fd, byte[] name, boolean abstractName, int uid);

    public static native int listen(int fd, int backlog, int uid);

    public static native int accept(int fd);

    public static native int read(int fd, byte[] into, int at, int count);

    public static native int write(int fd, byte[] from, int at, int count);

    public static native int shutdown(int fd, int how);

    public static native int close(int fd);

    public static native int available(int fd);

    /** Into: pid, uid, gid. */
    public static native int peer(int fd, int[] into);

    public static native int setTimeout(int fd, int option, int millis);

    public static native int getTimeout(int fd, int option);

    public static native int setNumber(int fd, int option, int value);

    public static native int getNumber(int fd, int option);
}
