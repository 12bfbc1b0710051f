/* Unix sockets for the device process: Java has none in the abstract namespace and none with credentials of another uid.
 * Every function answers a negative errno when it fails. */
#define _GNU_SOURCE
#include <errno.h>
#include <jni.h>
#include <poll.h>
#include <stddef.h>
#include <string.h>
#include <sys/ioctl.h>
#include <sys/socket.h>
#include <sys/syscall.h>
#include <sys/time.h>
#include <sys/un.h>
#include <unistd.h>

#define NATIVE(type, name) JNIEXPORT type JNICALL Java_testbed_boot_LocalSockets_##name
#define PIECE 65536

/* The peer sees the effective uid that this thread has in connect() and listen(); libc would change all threads. */
static void become(jint uid) { syscall(SYS_setresuid, -1, uid, -1); }

static int address(JNIEnv *env, jbyteArray name, jboolean abstract, struct sockaddr_un *to, socklen_t *size) {
    jsize n = (*env)->GetArrayLength(env, name);
    memset(to, 0, sizeof *to);
    to->sun_family = AF_UNIX;
    if (n < 1 || n > (jsize)sizeof to->sun_path - 1) return -ENAMETOOLONG;
    (*env)->GetByteArrayRegion(env, name, 0, n, (jbyte *)to->sun_path + (abstract ? 1 : 0));
    *size = (socklen_t)(offsetof(struct sockaddr_un, sun_path) + (size_t)n + 1);
    return 0;
}

NATIVE(jint, socket)(JNIEnv *env, jclass type, jint kind) {
    int fd = socket(AF_UNIX, kind | SOCK_CLOEXEC, 0);
    return fd < 0 ? -errno : fd;
}

NATIVE(jint, pair)(JNIEnv *env, jclass type, jint kind, jintArray into) {
    int fds[2];
    if (socketpair(AF_UNIX, kind | SOCK_CLOEXEC, 0, fds)) return -errno;
    (*env)->SetIntArrayRegion(env, into, 0, 2, (jint *)fds);
    return 0;
}

NATIVE(jint, bind)(JNIEnv *env, jclass type, jint fd, jbyteArray name, jboolean abstract) {
    struct sockaddr_un to;
    socklen_t size;
    int bad = address(env, name, abstract, &to, &size);
    if (bad) return bad;
    if (!abstract) unlink(to.sun_path);
    return bind(fd, (struct sockaddr *)&to, size) ? -errno : 0;
}

NATIVE(jint, connect)(JNIEnv *env, jclass type, jint fd, jbyteArray name, jboolean abstract, jint uid) {
    struct sockaddr_un to;
    socklen_t size;
    int bad = address(env, name, abstract, &to, &size);
    if (bad) return bad;
    become(uid);
    int result = connect(fd, (struct sockaddr *)&to, size) ? -errno : 0;
    become(0);
    return result;
}

NATIVE(jint, listen)(JNIEnv *env, jclass type, jint fd, jint backlog, jint uid) {
    become(uid);
    int result = listen(fd, backlog) ? -errno : 0;
    become(0);
    return result;
}

NATIVE(jint, accept)(JNIEnv *env, jclass type, jint fd) {
    int client;
    do client = accept4(fd, NULL, NULL, SOCK_CLOEXEC);
    while (client < 0 && errno == EINTR);
    return client < 0 ? -errno : client;
}

NATIVE(jint, read)(JNIEnv *env, jclass type, jint fd, jbyteArray into, jint at, jint n) {
    char buffer[PIECE];
    ssize_t got;
    if (n > PIECE) n = PIECE;
    do got = read(fd, buffer, (size_t)n);
    while (got < 0 && errno == EINTR);
    if (got < 0) return -errno;
    (*env)->SetByteArrayRegion(env, into, at, (jsize)got, (jbyte *)buffer);
    return (jint)got;
}

NATIVE(jint, write)(JNIEnv *env, jclass type, jint fd, jbyteArray from, jint at, jint n) {
    char buffer[PIECE];
    while (n > 0) {
        jint part = n < PIECE ? n : PIECE;
        (*env)->GetByteArrayRegion(env, from, at, part, (jbyte *)buffer);
        ssize_t sent = send(fd, buffer, (size_t)part, MSG_NOSIGNAL);
        if (sent < 0) {
            if (errno == EINTR) continue;
            return -errno;
        }
        at += (jint)sent;
        n -= (jint)sent;
    }
    return 0;
}

NATIVE(jint, shutdown)(JNIEnv *env, jclass type, jint fd, jint how) { return shutdown(fd, how) ? -errno : 0; }

NATIVE(jint, close)(JNIEnv *env, jclass type, jint fd) { return close(fd) ? -errno : 0; }

NATIVE(jint, available)(JNIEnv *env, jclass type, jint fd) {
    int n = 0;
    return ioctl(fd, FIONREAD, &n) ? -errno : n;
}

NATIVE(jint, peer)(JNIEnv *env, jclass type, jint fd, jintArray into) {
    struct ucred peer;
    socklen_t size = sizeof peer;
    if (getsockopt(fd, SOL_SOCKET, SO_PEERCRED, &peer, &size)) return -errno;
    jint values[3] = {peer.pid, (jint)peer.uid, (jint)peer.gid};
    (*env)->SetIntArrayRegion(env, into, 0, 3, values);
    return 0;
}

NATIVE(jint, setTimeout)(JNIEnv *env, jclass type, jint fd, jint option, jint millis) {
    struct timeval time = {.tv_sec = millis / 1000, .tv_usec = millis % 1000 * 1000};
    return setsockopt(fd, SOL_SOCKET, option, &time, sizeof time) ? -errno : 0;
}

NATIVE(jint, getTimeout)(JNIEnv *env, jclass type, jint fd, jint option) {
    struct timeval time = {0};
    socklen_t size = sizeof time;
    if (getsockopt(fd, SOL_SOCKET, option, &time, &size)) return -errno;
    return (jint)(time.tv_sec * 1000 + time.tv_usec / 1000);
}

NATIVE(jint, setNumber)(JNIEnv *env, jclass type, jint fd, jint option, jint value) {
    return setsockopt(fd, SOL_SOCKET, option, &value, sizeof value) ? -errno : 0;
}

NATIVE(jint, getNumber)(JNIEnv *env, jclass type, jint fd, jint option) {
    int value = 0;
    socklen_t size = sizeof value;
    return getsockopt(fd, SOL_SOCKET, option, &value, &size) ? -errno : value;
}
