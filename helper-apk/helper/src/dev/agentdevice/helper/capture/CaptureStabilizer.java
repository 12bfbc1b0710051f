package dev.agentdevice.helper.capture;

import dev.agentdevice.session.Clock;

/** Captures again while a window that the user looks at has no root yet. A complete first capture costs nothing more. */
public final class CaptureStabilizer {
    private static final long RETRY_MS = 50;
    private static final long BUDGET_MS = 500;

    /** Roots stayed away. */
    public static final class IncompleteCaptureException extends Exception {
        IncompleteCaptureException(long ms) {
            super("The windows' roots remained incomplete after " + ms + " ms");
        }
    }

    /** Makes one capture. */
    public interface Attempt {
        ScreenCapture.Result capture();
    }

    private CaptureStabilizer() {
    }

    public static ScreenCapture.Result capture(Attempt attempt, Clock clock)
            throws IncompleteCaptureException, InterruptedException {
        long start = clock.nowMs();
        while (true) {
            ScreenCapture.Result result = attempt.capture();
            if (result.complete()) {
                return result;
            }
            long elapsed = clock.nowMs() - start;
            if (elapsed >= BUDGET_MS) {
                throw new IncompleteCaptureException(elapsed);
            }
            clock.sleepMs(RETRY_MS);
        }
    }
}
