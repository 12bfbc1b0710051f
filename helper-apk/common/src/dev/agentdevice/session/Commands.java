package dev.agentdevice.session;

import java.util.Collection;
import java.util.Collections;
import java.util.LinkedHashMap;
import java.util.Map;

/** A session's commands by name. */
public final class Commands implements Handler {
    /** A command whose payload has been understood. */
    public interface Work {
        void run(Reply reply) throws Exception;
    }

    /** A command reads its payload before anything happens, so that a bad payload is a proof that nothing did. */
    public abstract static class Command {
        private final boolean mutates;
        private final boolean atOnce;

        protected Command(boolean mutates, boolean atOnce) {
            this.mutates = mutates;
            this.atOnce = atOnce;
        }

        protected Command(boolean mutates) {
            this(mutates, false);
        }

        protected abstract Work read(String payload) throws Exception;
    }

    private final Map<String, String> baseHeaders;
    private final Map<String, Command> commands = new LinkedHashMap<String, Command>();

    public Commands(Map<String, String> baseHeaders) {
        this.baseHeaders = baseHeaders;
    }

    public Commands add(String action, Command command) {
        commands.put(action, command);
        return this;
    }

    public Collection<String> names() {
        return Collections.unmodifiableSet(commands.keySet());
    }

    @Override
    public Map<String, String> baseHeaders() {
        return baseHeaders;
    }

    @Override
    public boolean knows(String action) {
        return commands.containsKey(action);
    }

    @Override
    public boolean answersAtOnce(String action) {
        return commands.get(action).atOnce;
    }

    @Override
    public void handle(Request request, Reply reply) throws Exception {
        Command command = commands.get(request.action);
        Work work;
        try {
            work = command.read(request.payload);
        } catch (Exception e) {
            throw Failure.beforeStart(e);
        }
        try {
            work.run(reply);
        } catch (Failure e) {
            throw e;
        } catch (Throwable e) {
            throw command.mutates ? Failure.afterStart(e) : Failure.beforeStart(e);
        }
    }
}
