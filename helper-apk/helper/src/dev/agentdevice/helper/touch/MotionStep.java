package dev.agentdevice.helper.touch;

/** One motion event of a gesture. */
public final class MotionStep {
    public static final int DOWN = 0;
    public static final int UP = 1;
    public static final int MOVE = 2;
    public static final int CANCEL = 3;
    /** The second pointer's coming and going: action 5 and 6 with its index in the second byte. */
    public static final int SECOND_DOWN = 5 | 1 << 8;
    public static final int SECOND_UP = 6 | 1 << 8;

    public final int action;
    /** From the beginning of the sequence. */
    public final long offsetMs;
    /** When the finger of this event came down, from the beginning of the sequence. */
    public final long downOffsetMs;
    public final int sample;
    public final int pointers;
    /** Whether the injection waits until the event has been handled. */
    public final boolean waits;

    MotionStep(int action, long offsetMs, int sample, int pointers, boolean waits) {
        this(action, offsetMs, 0, sample, pointers, waits);
    }

    MotionStep(int action, long offsetMs, long downOffsetMs, int sample, int pointers, boolean waits) {
        this.action = action;
        this.offsetMs = offsetMs;
        this.downOffsetMs = downOffsetMs;
        this.sample = sample;
        this.pointers = pointers;
        this.waits = waits;
    }

    @Override
    public String toString() {
        return action + "@" + offsetMs + " sample " + sample + " x" + pointers + (waits ? " waits" : "");
    }
}
