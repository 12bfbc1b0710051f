package dev.agentdevice.session;

import java.util.Map;

/** What a session can do. */
public interface Handler {
    /** Headers that every reply carries. */
    Map<String, String> baseHeaders();

    boolean knows(String action);

    /** Whether the action answers beside a running command; it must not touch the device. */
    boolean answersAtOnce(String action);

    /** Fills the reply. Called for one request at a time, except for actions that answer at once. */
    void handle(Request request, Reply reply) throws Exception;
}
