package dev.agentdevice.session;

import java.util.LinkedHashMap;
import java.util.Map;

/**
 * A failure with what is known about its effect. Any other exception says nothing about it, so it counts as begun as soon as
 * the command had its turn.
 */
public final class Failure extends Exception {
    private final boolean started;
    private final Map<String, String> facts = new LinkedHashMap<String, String>();

    private Failure(Throwable cause, boolean started) {
        super(cause.getMessage(), cause);
        this.started = started;
    }

    /** Nothing was done to the device, and that is certain. */
    public static Failure beforeStart(Throwable cause) {
        return new Failure(cause, false);
    }

    /** Something may have been done to the device. */
    public static Failure afterStart(Throwable cause) {
        return new Failure(cause, true);
    }

    public Failure with(String key, Object value) {
        facts.put(key, String.valueOf(value));
        return this;
    }

    public boolean started() {
        return started;
    }

    public Map<String, String> facts() {
        return facts;
    }
}
