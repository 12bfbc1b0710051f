package dev.agentdevice.session;

import java.io.Closeable;
import java.io.IOException;
import java.io.InputStream;
import java.net.Socket;
import java.nio.charset.StandardCharsets;
import java.security.MessageDigest;
import java.util.Set;
import java.util.Collections;
import java.util.concurrent.Callable;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.ExecutionException;
import java.util.concurrent.ExecutorService;
import java.util.concurrent.Executors;
import java.util.concurrent.Semaphore;
import java.util.concurrent.ThreadFactory;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.locks.ReentrantLock;

/**
 * Serves one command per connection. Commands run strictly one after the other; reading and writing happen beside them, so
 * that a slow client delays only itself. Whatever goes wrong with one connection ends that connection.
 */
public final class SessionServer {
    /** Bounds of one session. */
    public static final class Limits {
        /** A gesture of 120 s for two pointers is below 1 MB. */
        public int maxRequestBytes = 4 << 20;
        public long requestTimeoutMs = 5000;
        public long replyTimeoutMs = 30000;
        public int maxConnections = 8;
        /** 0 = the session never ends by itself. */
        public long idleTimeoutMs = 0;
    }

    /** Why a session ended. */
    public enum End {
        QUIT("quit"), IDLE("idle"), STOPPED("stopped");

        public final String word;

        End(String word) {
            this.word = word;
        }
    }

    private static final int MAX_ACCEPT_FAILURES = 20;

    private final Endpoint endpoint;
    private final String token;
    private final Handler handler;
    private final Limits limits;
    private final Clock clock;
    private final RequestReader reader;
    private final Semaphore slots;
    private final ReentrantLock turn = new ReentrantLock(true);
    private final ExecutorService worker = Executors.newSingleThreadExecutor(new ThreadFactory() {
        @Override
        public Thread newThread(Runnable work) {
            return daemon("session-worker", work);
        }
    });
    private final Set<Connection> open =
            Collections.newSetFromMap(new ConcurrentHashMap<Connection, Boolean>());
    private final Watchdog watchdog;
    private volatile End end;
    private volatile long lastActivityMs;
    private volatile long busySinceMs = -1;

    /** An empty token asks for none. */
    public SessionServer(Endpoint endpoint, String token, Handler handler, Limits limits, Clock clock) {
        this.endpoint = endpoint;
        this.token = token == null ? "" : token;
        this.handler = handler;
        this.limits = limits;
        this.clock = clock;
        reader = new RequestReader(limits.maxRequestBytes, limits.requestTimeoutMs, clock);
        slots = new Semaphore(limits.maxConnections);
        watchdog = new Watchdog(clock);
        lastActivityMs = clock.nowMs();
    }

    public String access() {
        return token.isEmpty() ? endpoint.access() : endpoint.access().equals("open") ? "token" : endpoint.access() + "+token";
    }

    /** How long the running command has been running, or -1. */
    public long busyMs() {
        long since = busySinceMs;
        return since < 0 ? -1 : clock.nowMs() - since;
    }

    /** Blocks until the session ends. */
    public End serve() throws IOException, InterruptedException {
        watchdog.start();
        if (limits.idleTimeoutMs > 0) {
            watchIdle(limits.idleTimeoutMs);
        }
        int failures = 0;
        try {
            while (end == null) {
                slots.acquire();
                final Connection connection;
                try {
                    connection = endpoint.accept();
                    failures = 0;
                } catch (IOException e) {
                    slots.release();
                    if (end != null) {
                        break;
                    }
                    // Out of file descriptors passes; a dead socket does not.
                    if (++failures >= MAX_ACCEPT_FAILURES) {
                        throw e;
                    }
                    clock.sleepMs(50);
                    continue;
                }
                open.add(connection);
                daemon("session-client", new Runnable() {
                    @Override
                    public void run() {
                        try {
                            serve(connection);
                        } finally {
                            open.remove(connection);
                            closeQuietly(connection.socket);
                            slots.release();
                        }
                    }
                }).start();
            }
        } finally {
            stop(End.STOPPED);
            settle();
            worker.shutdown();
            watchdog.stop();
        }
        return end;
    }

    private static Thread daemon(String name, Runnable work) {
        Thread thread = new Thread(work, name);
        thread.setDaemon(true);
        return thread;
    }

    /** Ends the session from outside; the first reason counts. */
    public void stop(End reason) {
        if (end == null) {
            end = reason;
        }
        closeQuietly(endpoint);
    }

    /** Lets replies under way leave, then cuts the rest. */
    private void settle() throws InterruptedException {
        slots.tryAcquire(limits.maxConnections, 1000, TimeUnit.MILLISECONDS);
        for (Connection connection : open) {
            closeQuietly(connection.socket);
        }
    }

    private void watchIdle(long inMs) {
        watchdog.in(inMs, new Runnable() {
            @Override
            public void run() {
                if (end != null) {
                    return;
                }
                long left = lastActivityMs + limits.idleTimeoutMs - clock.nowMs();
                if (busySinceMs >= 0) {
                    left = limits.idleTimeoutMs;
                }
                if (left <= 0) {
                    stop(End.IDLE);
                } else {
                    watchIdle(left);
                }
            }
        });
    }

    private void serve(Connection connection) {
        Reply reply = new Reply();
        reply.putAll(handler.baseHeaders()).put("requestId", "").put("ok", true);
        boolean quit = false;
        boolean drain = true;
        try {
            String refusal = connection.refusal;
            if (refusal != null) {
                reply.error(new SecurityException(refusal), false);
            } else {
                String line = reader.read(connection.socket);
                lastActivityMs = clock.nowMs();
                drain = false;
                quit = answer(line, reply);
            }
        } catch (Throwable e) {
            reply.error(e, false);
        }
        try {
            write(connection.socket, reply, drain);
        } catch (IOException e) {
            // The client is gone; that is its own affair.
        } finally {
            lastActivityMs = clock.nowMs();
            if (quit) {
                stop(End.QUIT);
            }
        }
    }

    /** Returns whether the session is to end. */
    private boolean answer(String line, Reply reply) {
        boolean[] begun = {false};
        try {
            Request request = Request.parse(line);
            reply.put("requestId", request.id);
            if (!admits(request.token)) {
                throw new SecurityException("wrong or missing session token");
            }
            if (request.action.equals("quit")) {
                return quit(request, reply);
            }
            if (!handler.knows(request.action)) {
                throw new IllegalArgumentException("unknown session command");
            }
            if (handler.answersAtOnce(request.action)) {
                handler.handle(request, reply);
            } else {
                inTurn(request, reply, begun);
            }
        } catch (Throwable e) {
            reply.error(e, begun[0]);
        }
        return false;
    }

    private boolean quit(Request request, Reply reply) throws InterruptedException {
        // A command under way may still hold the device; the process ends right after this.
        boolean turned = turn.tryLock(2000, TimeUnit.MILLISECONDS);
        if (turned) {
            turn.unlock();
        }
        reply.put("interrupted", !turned);
        return true;
    }

    private void inTurn(Request request, Reply reply, boolean[] begun) throws Throwable {
        if (request.ttlMs < 0) {
            turn.lockInterruptibly();
        } else if (!turn.tryLock(request.ttlMs, TimeUnit.MILLISECONDS)) {
            throw new NotBegunTimeoutException(request.ttlMs, "");
        }
        try {
            if (end != null) {
                throw new IllegalStateException("the session has ended");
            }
            busySinceMs = clock.nowMs();
            begun[0] = true;
            carryOut(request, reply);
        } finally {
            busySinceMs = -1;
            turn.unlock();
        }
    }

    /** Always on the same thread: for each thread that ever asked for a node, Android keeps a client until the process ends. */
    private void carryOut(final Request request, final Reply reply) throws Throwable {
        try {
            worker.submit(new Callable<Void>() {
                @Override
                public Void call() throws Exception {
                    handler.handle(request, reply);
                    return null;
                }
            }).get();
        } catch (ExecutionException e) {
            throw e.getCause();
        }
    }

    private boolean admits(String given) {
        return token.isEmpty() || MessageDigest.isEqual(
                token.getBytes(StandardCharsets.UTF_8), given.getBytes(StandardCharsets.UTF_8));
    }

    private void write(final Socket socket, Reply reply, boolean drain) throws IOException {
        Runnable cancel = watchdog.in(limits.replyTimeoutMs, new Runnable() {
            @Override
            public void run() {
                closeQuietly(socket);
            }
        });
        try {
            reply.write(socket.getOutputStream());
            socket.shutdownOutput();
            drain(socket, drain);
        } finally {
            cancel.run();
        }
    }

    /** Closing a TCP socket over unread bytes resets it and can take the reply along, so what came too much is read away. */
    private void drain(Socket socket, boolean wait) throws IOException {
        InputStream in = socket.getInputStream();
        byte[] sink = new byte[16384];
        long deadline = clock.nowMs() + 1000;
        long left = 1000;
        while (left > 0 && (wait || in.available() > 0)) {
            socket.setSoTimeout((int) left);
            if (in.read(sink) < 0) {
                return;
            }
            left = deadline - clock.nowMs();
        }
    }

    private static void closeQuietly(Closeable closeable) {
        try {
            closeable.close();
        } catch (IOException e) {
            // Closed is what was wanted.
        }
    }
}
