package dev.agentdevice.session;

import java.util.concurrent.TimeoutException;

/**
 * The work's turn did not come in time, and now it will not be done: the proof that its command did nothing. Only the first thing
 * that a command does may end so. Hosts know it by the name of this class.
 */
public final class NotBegunTimeoutException extends TimeoutException {
    NotBegunTimeoutException(long ms, String why) {
        super("not begun within " + ms + " ms" + why);
    }
}
