package dev.agentdevice.session;

import static org.junit.Assert.assertEquals;
import static org.junit.Assert.assertFalse;
import static org.junit.Assert.assertNotEquals;
import static org.junit.Assert.assertNull;
import static org.junit.Assert.assertTrue;
import static org.junit.Assert.fail;

import org.junit.After;
import org.junit.Before;
import org.junit.Test;

import java.io.ByteArrayOutputStream;
import java.io.IOException;
import java.io.InputStream;
import java.net.InetAddress;
import java.net.Socket;
import java.nio.charset.StandardCharsets;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.Collections;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.concurrent.Callable;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.ExecutorService;
import java.util.concurrent.Executors;
import java.util.concurrent.Future;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicInteger;

/** Over real sockets. */
public class SessionServerTest {
    private final SessionServer.Limits limits = new SessionServer.Limits();
    private final AtomicInteger done = new AtomicInteger();
    private final CountDownLatch entered = new CountDownLatch(1);
    private final CountDownLatch release = new CountDownLatch(1);
    private final ExecutorService pool = Executors.newCachedThreadPool();
    private TcpEndpoint endpoint;
    private SessionServer server;
    private Future<SessionServer.End> ended;

    @Before
    public void setUp() throws Exception {
        endpoint = new TcpEndpoint(0);
        limits.requestTimeoutMs = 300;
    }

    @After
    public void tearDown() throws Exception {
        release.countDown();
        server.stop(SessionServer.End.STOPPED);
        pool.shutdownNow();
        assertTrue(pool.awaitTermination(5, TimeUnit.SECONDS));
    }

    private static final Payload<String> GOOD = new Payload<String>() {
        @Override
        public String read(String payload) {
            if (payload.equals("bad")) {
                throw new IllegalArgumentException("bad payload");
            }
            return payload;
        }
    };

    private void start(String token) {
        Commands commands = new Commands(Collections.singletonMap("agentDeviceProtocol", "p"));
        commands.observe("echo", GOOD, new Commands.Command<String>() {
            @Override
            public void run(String payload, Reply reply) {
                done.incrementAndGet();
                byte[] body = "<hierarchy></hierarchy>".getBytes(StandardCharsets.UTF_8);
                reply.put("kind", "echo").put("forged", "a\nok=false\r\n").body(body, body.length);
            }
        });
        commands.mutate("block", GOOD, new Commands.Command<String>() {
            @Override
            public void run(String payload, Reply reply) throws Exception {
                entered.countDown();
                release.await();
                done.incrementAndGet();
            }
        });
        commands.mutate("act", GOOD, new Commands.Command<String>() {
            @Override
            public void run(String payload, Reply reply) {
                done.incrementAndGet();
            }
        });
        commands.mutate("break", GOOD, new Commands.Command<String>() {
            @Override
            public void run(String payload, Reply reply) {
                throw new StackOverflowError();
            }
        });
        commands.mutate("gone", GOOD, new Commands.Command<String>() {
            @Override
            public void run(String payload, Reply reply) throws Exception {
                throw Failure.afterStart(new IllegalStateException("injectInputEvent returned false")).with("injectedEvents", 3);
            }
        });
        commands.observe("big", GOOD, new Commands.Command<String>() {
            @Override
            public void run(String payload, Reply reply) {
                byte[] body = new byte[32 << 20];
                Arrays.fill(body, (byte) 'x');
                reply.body(body, body.length);
            }
        });
        commands.answerAtOnce("ping", GOOD, new Commands.Command<String>() {
            @Override
            public void run(String payload, Reply reply) {
                reply.put("busy", server.busyMs() >= 0);
            }
        });
        server = new SessionServer(endpoint, token, commands, limits, Clock.SYSTEM);
        ended = pool.submit(new Callable<SessionServer.End>() {
            @Override
            public SessionServer.End call() throws Exception {
                return server.serve();
            }
        });
    }

    private static final class Answer {
        final Map<String, String> headers = new LinkedHashMap<String, String>();
        final String body;

        Answer(byte[] bytes) {
            String text = new String(bytes, StandardCharsets.UTF_8);
            int split = text.indexOf("\n\n");
            assertTrue(text, split >= 0);
            for (String line : text.substring(0, split).split("\n")) {
                int equals = line.indexOf('=');
                assertNull(headers.put(line.substring(0, equals), line.substring(equals + 1)));
            }
            body = text.substring(split + 2);
        }

        String get(String key) {
            return headers.get(key);
        }

        void failed(String type, String message, String started) {
            assertEquals("false", get("ok"));
            assertEquals(type, get("errorType"));
            assertEquals(message, get("message"));
            assertEquals(started, get("started"));
            assertEquals("", body);
        }
    }

    private Socket connect() throws IOException {
        Socket socket = new Socket(InetAddress.getByAddress(new byte[] {127, 0, 0, 1}), endpoint.port());
        socket.setSoTimeout(10000);
        return socket;
    }

    private static byte[] rest(Socket socket) throws IOException {
        ByteArrayOutputStream out = new ByteArrayOutputStream();
        byte[] buffer = new byte[65536];
        InputStream in = socket.getInputStream();
        for (int n = in.read(buffer); n >= 0; n = in.read(buffer)) {
            out.write(buffer, 0, n);
        }
        return out.toByteArray();
    }

    private Answer ask(byte[] request) throws IOException {
        Socket socket = connect();
        try {
            socket.getOutputStream().write(request);
            return new Answer(rest(socket));
        } finally {
            socket.close();
        }
    }

    private Answer ask(String line) throws IOException {
        return ask((line + "\n").getBytes(StandardCharsets.UTF_8));
    }

    private Future<Answer> askLater(final String line) {
        return pool.submit(new Callable<Answer>() {
            @Override
            public Answer call() throws Exception {
                return ask(line);
            }
        });
    }

    @Test
    public void aReplyIsHeadersAnEmptyLineAndABodyOfTheSaidLength() throws Exception {
        start("");
        Answer answer = ask("echo e-1");
        assertEquals("p", answer.get("agentDeviceProtocol"));
        assertEquals("e-1", answer.get("requestId"));
        assertEquals("true", answer.get("ok"));
        assertEquals("<hierarchy></hierarchy>", answer.body);
        assertEquals("23", answer.get("byteLength"));
    }

    @Test
    public void lineBreaksInValuesCannotForgeHeaders() throws Exception {
        start("");
        assertEquals("a ok=false  ", ask("echo e-1").get("forged"));
    }

    @Test
    public void carriageReturnsAndHalfClosingClientsAreFine() throws Exception {
        start("");
        Socket socket = connect();
        socket.getOutputStream().write("echo e-1\r\n".getBytes(StandardCharsets.UTF_8));
        socket.shutdownOutput();
        assertEquals("true", new Answer(rest(socket)).get("ok"));
        socket.close();
    }

    @Test
    public void anUnknownCommandIsNamedAndTheSessionGoesOn() throws Exception {
        start("");
        ask("dance d-1").failed("java.lang.IllegalArgumentException", "unknown session command", "false");
        ask("").failed("java.lang.IllegalArgumentException", "unknown session command", "false");
        assertEquals("true", ask("echo e-1").get("ok"));
    }

    @Test
    public void aConnectionWithoutACommandIsAnsweredAndTheSessionGoesOn() throws Exception {
        start("");
        Socket socket = connect();
        socket.shutdownOutput();
        Answer answer = new Answer(rest(socket));
        answer.failed("java.io.EOFException", "empty command", "false");
        assertEquals("", answer.get("requestId"));
        socket.close();
        assertEquals("true", ask("echo e-1").get("ok"));
    }

    @Test
    public void halfARequestIsNeverCarriedOut() throws Exception {
        start("");
        Socket socket = connect();
        socket.getOutputStream().write("act a-1".getBytes(StandardCharsets.UTF_8));
        socket.shutdownOutput();
        new Answer(rest(socket)).failed("java.io.EOFException", "command not ended by a newline", "false");
        socket.close();
        assertEquals(0, done.get());
    }

    @Test
    public void aSilentClientDelaysNobodyAndIsDismissed() throws Exception {
        limits.requestTimeoutMs = 1500;
        start("");
        Socket silent = connect();
        long before = System.nanoTime();
        assertEquals("true", ask("echo e-1").get("ok"));
        assertTrue("waited for the silent client", System.nanoTime() - before < 1000000000L);
        Answer answer = new Answer(rest(silent));
        assertEquals("java.net.SocketTimeoutException", answer.get("errorType"));
        assertEquals("false", answer.get("started"));
        silent.close();
    }

    @Test
    public void aTricklingClientIsDismissedAsWell() throws Exception {
        start("");
        final Socket slow = connect();
        pool.submit(new Callable<Void>() {
            @Override
            public Void call() throws Exception {
                for (int i = 0; i < 100; i++) {
                    slow.getOutputStream().write('a');
                    Thread.sleep(50);
                }
                return null;
            }
        });
        long before = System.nanoTime();
        assertEquals("java.net.SocketTimeoutException", new Answer(rest(slow)).get("errorType"));
        assertTrue("dismissed only when it fell silent", System.nanoTime() - before < 4000000000L);
        slow.close();
    }

    @Test
    public void moreSilentClientsThanConnectionsOnlyDelay() throws Exception {
        limits.maxConnections = 2;
        start("");
        List<Socket> silent = new ArrayList<Socket>();
        for (int i = 0; i < 5; i++) {
            silent.add(connect());
        }
        assertEquals("true", ask("echo e-1").get("ok"));
        for (Socket socket : silent) {
            socket.close();
        }
    }

    @Test
    public void garbageIsAnsweredAndTheSessionGoesOn() throws Exception {
        start("");
        byte[] garbage = new byte[4096];
        new java.util.Random(7).nextBytes(garbage);
        garbage[2000] = '\n';
        Socket socket = connect();
        socket.getOutputStream().write(garbage);
        byte[] reply = rest(socket);
        assertTrue(new String(reply, StandardCharsets.UTF_8).contains("ok=false\n"));
        socket.close();
        assertEquals("true", ask("echo e-1").get("ok"));
    }

    @Test
    public void anOversizedRequestIsRefusedWithAReplyThatArrives() throws Exception {
        limits.maxRequestBytes = 1000;
        start("");
        // More than any socket buffer holds: writing it all takes somebody who reads it away.
        byte[] big = new byte[16 << 20];
        Arrays.fill(big, (byte) 'a');
        Socket socket = connect();
        socket.getOutputStream().write(big);
        socket.shutdownOutput();
        Answer answer = new Answer(rest(socket));
        assertEquals("request longer than 1000 bytes", answer.get("message"));
        socket.close();
        assertEquals("true", ask("echo e-1").get("ok"));
    }

    @Test
    public void aRequestJustBelowTheLimitIsRead() throws Exception {
        limits.maxRequestBytes = 5000;
        start("");
        char[] payload = new char[4980];
        Arrays.fill(payload, 'a');
        assertEquals("true", ask("echo e-1 " + new String(payload)).get("ok"));
    }

    @Test
    public void aClientThatLeavesBeforeItsReplyHarmsNobody() throws Exception {
        start("");
        for (int i = 0; i < 20; i++) {
            Socket socket = connect();
            socket.setSoLinger(true, 0);
            socket.getOutputStream().write("big b-1\n".getBytes(StandardCharsets.UTF_8));
            socket.close();
        }
        assertEquals("true", ask("echo e-1").get("ok"));
    }

    @Test
    public void aClientThatNeverReadsIsCutOff() throws Exception {
        limits.replyTimeoutMs = 300;
        limits.maxConnections = 1;
        start("");
        Socket deaf = connect();
        deaf.getOutputStream().write("big b-1\n".getBytes(StandardCharsets.UTF_8));
        // There is one connection only: this one is served when the other has been cut.
        assertEquals("true", ask("echo e-1").get("ok"));
        deaf.close();
    }

    @Test
    public void commandsRunOneAfterTheOther() throws Exception {
        start("");
        Future<Answer> first = askLater("block b-1");
        assertTrue(entered.await(5, TimeUnit.SECONDS));
        Future<Answer> second = askLater("act a-1");
        Thread.sleep(200);
        assertFalse(second.isDone());
        assertEquals(0, done.get());
        release.countDown();
        assertEquals("b-1", first.get().get("requestId"));
        assertEquals("a-1", second.get().get("requestId"));
        assertEquals(2, done.get());
    }

    @Test
    public void pingAnswersBesideARunningCommand() throws Exception {
        start("");
        assertEquals("false", ask("ping p-1").get("busy"));
        askLater("block b-1");
        assertTrue(entered.await(5, TimeUnit.SECONDS));
        assertEquals("true", ask("ping p-2").get("busy"));
    }

    @Test
    public void aRequestThatWaitsTooLongForItsTurnIsNotCarriedOut() throws Exception {
        start("");
        Future<Answer> first = askLater("block b-1");
        assertTrue(entered.await(5, TimeUnit.SECONDS));
        ask("@ttl=100 act a-1").failed("dev.agentdevice.session.NotBegunTimeoutException", "not begun within 100 ms", "false");
        release.countDown();
        first.get();
        assertEquals(1, done.get());
    }

    @Test
    public void aBadPayloadProvesThatNothingBegan() throws Exception {
        start("");
        ask("act a-1 bad").failed("java.lang.IllegalArgumentException", "bad payload", "false");
        assertEquals(0, done.get());
    }

    @Test
    public void aBreakdownOfOneCommandEndsThatCommandOnly() throws Exception {
        start("");
        ask("break b-1").failed("java.lang.StackOverflowError", "java.lang.StackOverflowError", "true");
        assertEquals("true", ask("echo e-1").get("ok"));
    }

    @Test
    public void aFailureTellsWhatWasDone() throws Exception {
        start("");
        Answer answer = ask("gone g-1");
        answer.failed("java.lang.IllegalStateException", "injectInputEvent returned false", "true");
        assertEquals("3", answer.get("injectedEvents"));
    }

    @Test
    public void aTokenIsAskedForAndNeverRepeated() throws Exception {
        start("s3cret");
        assertEquals("token", server.access());
        for (String line : new String[] {"act a-1", "@token=wrong act a-1", "@token= act a-1", "@token=s3cret1 act a-1", "quit q-1"}) {
            Answer answer = ask(line);
            answer.failed("java.lang.SecurityException", "wrong or missing session token", "false");
            assertFalse(answer.headers.toString().contains("s3cret"));
        }
        assertEquals(0, done.get());
        assertEquals("true", ask("@token=s3cret act a-1").get("ok"));
    }

    @Test
    public void quitIsAcknowledgedAndEndsTheSession() throws Exception {
        start("");
        Answer answer = ask("quit q-1");
        assertEquals("true", answer.get("ok"));
        assertEquals("q-1", answer.get("requestId"));
        assertEquals(SessionServer.End.QUIT, ended.get(5, TimeUnit.SECONDS));
        try {
            connect();
            fail("still listening");
        } catch (IOException expected) {
            assertNotEquals(null, expected);
        }
    }

    @Test
    public void anIdleSessionEndsByItself() throws Exception {
        limits.idleTimeoutMs = 300;
        start("");
        assertEquals("true", ask("echo e-1").get("ok"));
        assertEquals(SessionServer.End.IDLE, ended.get(5, TimeUnit.SECONDS));
    }

    @Test
    public void aBusySessionIsNotIdle() throws Exception {
        limits.idleTimeoutMs = 200;
        start("");
        Future<Answer> first = askLater("block b-1");
        Thread.sleep(700);
        assertEquals("true", ask("ping p-1").get("busy"));
        release.countDown();
        assertEquals("true", first.get().get("ok"));
    }

    @Test
    public void twoThousandConnectionsLeaveNothingBehind() throws Exception {
        start("");
        for (int i = 0; i < 2000; i++) {
            assertEquals("true", ask("act a-" + i).get("ok"));
        }
        assertEquals(2000, done.get());
        assertEquals("true", ask("ping p-1").get("ok"));
    }
}
