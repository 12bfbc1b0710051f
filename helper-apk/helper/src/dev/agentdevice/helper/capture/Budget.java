package dev.agentdevice.helper.capture;

import dev.agentdevice.session.Clock;

/** What one capture may cost, over all of its windows. */
public final class Budget {
    /** Well below the heap of a small device, well above any screen that means something. */
    private static final int MAX_BYTES = 32 << 20;

    final int maxDepth;
    private final int maxNodes;
    private final int maxBytes;
    private final Clock clock;
    private final long deadlineMs;
    private int nodes;
    private String truncatedBy;

    public Budget(int maxNodes, int maxDepth, long walkTimeoutMs, Clock clock) {
        this(maxNodes, maxDepth, walkTimeoutMs, MAX_BYTES, clock);
    }

    Budget(int maxNodes, int maxDepth, long walkTimeoutMs, int maxBytes, Clock clock) {
        this.maxNodes = maxNodes;
        this.maxDepth = maxDepth;
        this.maxBytes = maxBytes;
        this.clock = clock;
        deadlineMs = clock.nowMs() + walkTimeoutMs;
    }

    /** Whether one more node fits; a no stays a no. */
    boolean take(int bytesSoFar) {
        if (nodes >= maxNodes) {
            cut("nodes");
        } else if (bytesSoFar >= maxBytes) {
            cut("bytes");
        } else if ((nodes & 15) == 0 && clock.nowMs() >= deadlineMs) {
            cut("time");
        } else {
            nodes++;
            return true;
        }
        return false;
    }

    void cutDepth() {
        cut("depth");
    }

    private void cut(String by) {
        if (truncatedBy == null) {
            truncatedBy = by;
        }
    }

    public int nodes() {
        return nodes;
    }

    public boolean truncated() {
        return truncatedBy != null;
    }

    /** {@code nodes}, {@code depth}, {@code bytes}, {@code time}, or null. */
    public String truncatedBy() {
        return truncatedBy;
    }

    Budget.Mark mark() {
        return new Mark(nodes, truncatedBy);
    }

    /** Forgets what a window took that vanished half way. */
    void reset(Mark mark) {
        nodes = mark.nodes;
        truncatedBy = mark.truncatedBy;
    }

    static final class Mark {
        private final int nodes;
        private final String truncatedBy;

        private Mark(int nodes, String truncatedBy) {
            this.nodes = nodes;
            this.truncatedBy = truncatedBy;
        }
    }
}
