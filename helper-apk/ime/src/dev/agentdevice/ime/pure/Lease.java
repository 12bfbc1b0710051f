package dev.agentdevice.ime.pure;

/**
 * Until when this keyboard may stay, and which one comes after it. A host that crashes can't put the user's keyboard back, so
 * the keyboard itself does when nobody has talked to it for the agreed time. Kept as text, since this process can die too.
 */
public final class Lease {
    public static final Lease NONE = new Lease("", 0, 0);
    private static final long MAX_MS = 24L * 3600 * 1000;

    public final String previous;
    public final long lengthMs;
    /** By the wall clock, which goes on over a restart of the device. */
    public final long endMs;

    private Lease(String previous, long lengthMs, long endMs) {
        this.previous = previous;
        this.lengthMs = lengthMs;
        this.endMs = endMs;
    }

    /** A length of 0 remembers the keyboard without ever restoring it by itself. */
    public static Lease of(String previous, long lengthMs, long nowMs) {
        if (!previous.matches("[A-Za-z][A-Za-z0-9_.$]*/[A-Za-z0-9_.$]+")) {
            throw new IllegalArgumentException("the previous keyboard is not a component");
        }
        if (lengthMs < 0 || lengthMs > MAX_MS) {
            throw new IllegalArgumentException("a lease is 0 to " + MAX_MS + " ms long");
        }
        return new Lease(previous, lengthMs, nowMs + lengthMs);
    }

    public boolean exists() {
        return !previous.isEmpty();
    }

    /** Somebody has talked: the time begins again. */
    public Lease renewed(long nowMs) {
        return new Lease(previous, lengthMs, nowMs + lengthMs);
    }

    public boolean ends() {
        return exists() && lengthMs > 0;
    }

    /** A clock that was set back must not keep the keyboard for longer than was agreed. */
    public boolean ended(long nowMs) {
        return ends() && (nowMs >= endMs || endMs - nowMs > lengthMs);
    }

    public long leftMs(long nowMs) {
        return ended(nowMs) ? 0 : endMs - nowMs;
    }

    public String toText() {
        return previous + " " + lengthMs + " " + endMs;
    }

    /** Damaged text is no lease. */
    public static Lease fromText(String text) {
        String[] parts = text == null ? new String[0] : text.split(" ");
        if (parts.length != 3) {
            return NONE;
        }
        try {
            long end = Long.parseLong(parts[2]);
            long length = Long.parseLong(parts[1]);
            return of(parts[0], length, end - length);
        } catch (IllegalArgumentException e) {
            return NONE;
        }
    }
}
