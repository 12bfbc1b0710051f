package dev.agentdevice.session;

import java.util.Collection;
import java.util.Collections;
import java.util.LinkedHashMap;
import java.util.Map;

/** A session's commands by name. */
public final class Commands implements Handler {
    /** What a command does once its payload has been understood. */
    public interface Command<T> {
        void run(T given, Reply reply) throws Exception;
    }

    private enum Effect {
        OBSERVES, MUTATES, AT_ONCE
    }

    private static final class Entry<T> {
        final Effect effect;
        private final Payload<T> payload;
        private final Command<T> command;

        Entry(Effect effect, Payload<T> payload, Command<T> command) {
            this.effect = effect;
            this.payload = payload;
            this.command = command;
        }

        /** The payload is read before anything happens, so that a bad one is a proof that nothing did. */
        void handle(String text, Reply reply) throws Failure {
            T given;
            try {
                given = payload.read(text);
            } catch (Exception e) {
                throw Failure.beforeStart(e);
            }
            try {
                command.run(given, reply);
            } catch (Failure e) {
                throw e;
            } catch (NotBegunTimeoutException e) {
                throw Failure.beforeStart(e);
            } catch (Throwable e) {
                throw effect == Effect.MUTATES ? Failure.afterStart(e) : Failure.beforeStart(e);
            }
        }
    }

    private final Map<String, String> baseHeaders;
    private final Map<String, Entry<?>> entries = new LinkedHashMap<String, Entry<?>>();

    public Commands(Map<String, String> baseHeaders) {
        this.baseHeaders = baseHeaders;
    }

    /** A command that changes nothing on the device, whatever becomes of it. */
    public <T> void observe(String action, Payload<T> payload, Command<T> command) {
        entries.put(action, new Entry<T>(Effect.OBSERVES, payload, command));
    }

    /** A command that may have changed something when it fails without saying more. */
    public <T> void mutate(String action, Payload<T> payload, Command<T> command) {
        entries.put(action, new Entry<T>(Effect.MUTATES, payload, command));
    }

    /** A command that answers beside a running one; it must not touch the device. */
    public <T> void answerAtOnce(String action, Payload<T> payload, Command<T> command) {
        entries.put(action, new Entry<T>(Effect.AT_ONCE, payload, command));
    }

    public Collection<String> names() {
        return Collections.unmodifiableSet(entries.keySet());
    }

    @Override
    public Map<String, String> baseHeaders() {
        return baseHeaders;
    }

    @Override
    public boolean knows(String action) {
        return entries.containsKey(action);
    }

    @Override
    public boolean answersAtOnce(String action) {
        return entries.get(action).effect == Effect.AT_ONCE;
    }

    @Override
    public void handle(Request request, Reply reply) throws Exception {
        entries.get(request.action).handle(request.payload, reply);
    }
}
