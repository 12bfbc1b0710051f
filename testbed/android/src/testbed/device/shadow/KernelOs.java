package testbed.device.shadow;

import android.system.ErrnoException;
import android.system.Os;
import android.system.OsConstants;
import android.system.StructTimeval;
import android.system.StructUcred;
import java.io.FileDescriptor;
import java.net.InetSocketAddress;
import org.robolectric.annotation.Implementation;
import org.robolectric.annotation.Implements;
import org.robolectric.shadow.api.Shadow;
import org.robolectric.shadows.ShadowOs;
import org.robolectric.util.ReflectionHelpers.ClassParameter;
import testbed.device.Reflect;
import testbed.device.am.LocalSockets;

/** System calls on Unix sockets, which the kernel here does as on a phone. It stands for the stock shadow, which is final. */
@Implements(className = "android.system.Os", isInAndroidSdk = false)
public class KernelOs {
    @Implementation
    protected static FileDescriptor socket(int domain, int kind, int protocol) throws ErrnoException {
        if (domain != OsConstants.AF_UNIX) throw new ErrnoException("socket", OsConstants.EAFNOSUPPORT);
        return LocalSockets.socket(kind);
    }

    @Implementation
    protected static void socketpair(int domain, int kind, int protocol, FileDescriptor one, FileDescriptor other) throws ErrnoException {
        LocalSockets.pair(kind, one, other);
    }

    @Implementation
    protected static void listen(FileDescriptor descriptor, int backlog) throws ErrnoException {
        LocalSockets.listen(descriptor, backlog);
    }

    @Implementation
    protected static FileDescriptor accept(FileDescriptor descriptor, InetSocketAddress peer) throws ErrnoException {
        return LocalSockets.accept(descriptor);
    }

    @Implementation
    protected static void shutdown(FileDescriptor descriptor, int how) throws ErrnoException {
        LocalSockets.shutdown(descriptor, how);
    }

    @Implementation
    protected static void close(FileDescriptor descriptor) {
        if (LocalSockets.owns(descriptor)) LocalSockets.close(descriptor);
        else Shadow.directlyOn(Os.class, "close", ClassParameter.from(FileDescriptor.class, descriptor));
    }

    @Implementation(minSdk = 24)
    protected static int ioctlInt(FileDescriptor descriptor, int request) throws ErrnoException {
        return LocalSockets.available(descriptor);
    }

    @Implementation
    protected static StructUcred getsockoptUcred(FileDescriptor descriptor, int level, int option) throws ErrnoException {
        int[] peer = LocalSockets.peer(descriptor);
        return Reflect.create(StructUcred.class, int.class, peer[0], int.class, peer[1], int.class, peer[2]);
    }

    @Implementation
    protected static StructTimeval getsockoptTimeval(FileDescriptor descriptor, int level, int option) throws ErrnoException {
        return StructTimeval.fromMillis(LocalSockets.getTimeout(descriptor, option));
    }

    @Implementation
    protected static void setsockoptTimeval(FileDescriptor descriptor, int level, int option, StructTimeval value) throws ErrnoException {
        LocalSockets.setTimeout(descriptor, option, (int) value.toMillis());
    }

    @Implementation
    protected static int getsockoptInt(FileDescriptor descriptor, int level, int option) throws ErrnoException {
        return LocalSockets.getNumber(descriptor, option);
    }

    @Implementation
    protected static void setsockoptInt(FileDescriptor descriptor, int level, int option, int value) throws ErrnoException {
        LocalSockets.setNumber(descriptor, option, value);
    }

    @Implementation
    protected static long sysconf(int name) {
        return Reflect.call(ShadowOs.class, "sysconf", name);
    }

    @Implementation
    protected static long lseek(FileDescriptor descriptor, long offset, int whence) {
        return Reflect.call(ShadowOs.class, "lseek", descriptor, offset, whence);
    }
}
