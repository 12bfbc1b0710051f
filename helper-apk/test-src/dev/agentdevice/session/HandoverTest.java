package dev.agentdevice.session;

import static org.junit.Assert.assertEquals;
import static org.junit.Assert.assertFalse;
import static org.junit.Assert.fail;

import org.junit.After;
import org.junit.Test;

import java.util.ArrayList;
import java.util.Collections;
import java.util.List;
import java.util.concurrent.Callable;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.Executor;
import java.util.concurrent.ExecutorService;
import java.util.concurrent.Executors;
import java.util.concurrent.TimeoutException;

public class HandoverTest {
    private final ExecutorService there = Executors.newSingleThreadExecutor();
    private final CountDownLatch release = new CountDownLatch(1);
    private int done;

    private final Callable<String> work = new Callable<String>() {
        @Override
        public String call() {
            done++;
            return "done";
        }
    };

    private final Callable<String> slow = new Callable<String>() {
        @Override
        public String call() throws InterruptedException {
            release.await();
            return "done";
        }
    };

    @After
    public void end() {
        release.countDown();
        there.shutdown();
    }

    @Test
    public void whatWasDoneInTimeIsTheAnswer() throws Exception {
        assertEquals("done", Handover.call(there, work, 5000, "busy"));
        assertEquals(1, done);
    }

    @Test
    public void whatHasNotBegunInTimeNeverBegins() throws Exception {
        final List<Runnable> queue = new ArrayList<Runnable>();
        Executor never = new Executor() {
            @Override
            public void execute(Runnable task) {
                queue.add(task);
            }
        };
        try {
            Handover.call(never, work, 20, "the thread is busy");
            fail();
        } catch (NotBegunTimeoutException e) {
            assertEquals("not begun within 20 ms: the thread is busy", e.getMessage());
        }
        queue.get(0).run();
        assertEquals(0, done);
    }

    @Test
    public void whatHasBegunAndNotEndedIsNoProof() throws Exception {
        try {
            Handover.call(there, slow, 200, "busy");
            fail();
        } catch (TimeoutException e) {
            assertFalse(e instanceof NotBegunTimeoutException);
            assertEquals("not ended within 200 ms: busy", e.getMessage());
        }
    }

    /** The same name and the same proof for a command of either kind. */
    @Test
    public void aCommandThatWasNotBegunHasDoneNothing() throws Exception {
        Commands commands = new Commands(Collections.<String, String>emptyMap());
        commands.mutate("act", Payload.NONE, new Commands.Command<Void>() {
            @Override
            public void run(Void nothing, Reply reply) throws Exception {
                throw new NotBegunTimeoutException(1, "");
            }
        });
        Reply reply = new Reply();
        try {
            commands.handle(Request.parse("act a-1"), reply);
            fail();
        } catch (Failure e) {
            reply.error(e, true);
        }
        assertEquals("dev.agentdevice.session.NotBegunTimeoutException", reply.headers().get("errorType"));
        assertEquals("false", reply.headers().get("started"));
    }
}
