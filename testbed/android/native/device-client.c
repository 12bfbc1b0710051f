/* The thin end of every shell command that the framework process answers.
 *
 * Installed once in /system/bin and linked under each command's name. It sends argv over a local socket, passes
 * bytes on and leaves with the code it is told. Started with DEVICE_HELD set, it is the visible process of a running
 * app instead: it carries the app's name in ps, pidof and /proc and lives as long as its standard input is open.
 *
 * Request:  u32 length, then NUL-ended strings: cwd, argv[0], argv[1] ...
 * Frames:   u8 kind, u32 length, bytes. To the device 0 = stdin (empty = end). From it 1 = stdout, 2 = stderr,
 *           3 = exit code (one byte), 4 = send stdin from now on. All numbers big-endian. */
#include <arpa/inet.h>
#include <errno.h>
#include <poll.h>
#include <signal.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/prctl.h>
#include <sys/socket.h>
#include <sys/un.h>
#include <unistd.h>

#define SOCKET_PATH "/dev/socket/framework"

static int write_all(int fd, const void *data, size_t n) {
    const char *p = data;
    while (n > 0) {
        ssize_t w = write(fd, p, n);
        if (w < 0) {
            if (errno == EINTR) continue;
            return -1;
        }
        p += w;
        n -= (size_t)w;
    }
    return 0;
}

static int read_all(int fd, void *data, size_t n) {
    char *p = data;
    while (n > 0) {
        ssize_t r = read(fd, p, n);
        if (r < 0 && errno == EINTR) continue;
        if (r <= 0) return -1;
        p += r;
        n -= (size_t)r;
    }
    return 0;
}

static int send_frame(int fd, uint8_t kind, const void *data, uint32_t n) {
    char head[5];
    uint32_t be = htonl(n);
    head[0] = (char)kind;
    memcpy(head + 1, &be, 4);
    return write_all(fd, head, 5) || write_all(fd, data, n) ? -1 : 0;
}

static int hold(const char *name) {
    size_t n = strlen(name);
    char c;
    /* Android keeps the last 15 bytes of the process name in comm. */
    prctl(PR_SET_NAME, n > 15 ? name + n - 15 : name, 0, 0, 0);
    while (read(0, &c, 1) > 0) {
    }
    return 0;
}

static const char *base(const char *path) {
    const char *slash = strrchr(path, '/');
    return slash ? slash + 1 : path;
}

int main(int argc, char **argv) {
    static char buffer[65536];
    if (getenv("DEVICE_HELD")) return hold(argv[0]);
    if (argc == 3 && strcmp(argv[1], "--hold") == 0) {
        char *args[] = {argv[2], NULL};
        char *env[] = {"DEVICE_HELD=1", NULL};
        execve("/proc/self/exe", args, env);
        return 126;
    }
    signal(SIGPIPE, SIG_IGN);

    int fd = socket(AF_UNIX, SOCK_STREAM | SOCK_CLOEXEC, 0);
    struct sockaddr_un address = {.sun_family = AF_UNIX, .sun_path = SOCKET_PATH};
    if (fd < 0 || connect(fd, (struct sockaddr *)&address, sizeof address) != 0) {
        fprintf(stderr, "cmd: Can't find service: %s\n", base(argv[0]));
        return 20;
    }

    char cwd[4096];
    if (!getcwd(cwd, sizeof cwd)) strcpy(cwd, "/");
    size_t total = strlen(cwd) + 1;
    for (int i = 0; i < argc; i++) total += strlen(i ? argv[i] : base(argv[i])) + 1;
    uint32_t be = htonl((uint32_t)total);
    if (write_all(fd, &be, 4) || write_all(fd, cwd, strlen(cwd) + 1)) return 20;
    for (int i = 0; i < argc; i++) {
        const char *word = i ? argv[i] : base(argv[i]);
        if (write_all(fd, word, strlen(word) + 1)) return 20;
    }

    int reading = 0;
    for (;;) {
        struct pollfd polls[2] = {{.fd = fd, .events = POLLIN}, {.fd = reading ? 0 : -1, .events = POLLIN}};
        if (poll(polls, 2, -1) < 0) {
            if (errno == EINTR) continue;
            return 1;
        }
        if (reading && polls[1].revents) {
            ssize_t r = read(0, buffer, sizeof buffer);
            if (r <= 0) {
                reading = 0;
                r = 0;
            }
            send_frame(fd, 0, buffer, (uint32_t)r);
        }
        if (!polls[0].revents) continue;
        uint8_t head[5];
        if (read_all(fd, head, 5)) break;
        uint32_t n;
        memcpy(&n, head + 1, 4);
        n = ntohl(n);
        if (head[0] == 3) {
            uint8_t code = 1;
            if (n) read_all(fd, &code, 1);
            return code;
        }
        if (head[0] == 4) reading = 1;
        while (n > 0) {
            size_t part = n < sizeof buffer ? n : sizeof buffer;
            if (read_all(fd, buffer, part)) goto gone;
            if (head[0] == 1 || head[0] == 2) write_all(head[0], buffer, part);
            n -= (uint32_t)part;
        }
    }
gone:
    /* The framework process went away in the middle of the command. */
    fprintf(stderr, "Killed\n");
    return 137;
}
