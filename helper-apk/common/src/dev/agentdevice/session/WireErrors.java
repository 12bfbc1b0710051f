package dev.agentdevice.session;

/** How an exception is named on the wire. */
public final class WireErrors {
    /** An exception that travels under another name than its class's. */
    public interface Named {
        String wireName();
    }

    private WireErrors() {
    }

    public static String type(Throwable error) {
        Throwable real = unwrap(error);
        return real instanceof Named ? ((Named) real).wireName() : real.getClass().getName();
    }

    public static String message(Throwable error) {
        Throwable real = unwrap(error);
        String message = real.getMessage();
        return message == null || message.isEmpty() ? real.getClass().getName() : message;
    }

    private static Throwable unwrap(Throwable error) {
        return error instanceof Failure ? error.getCause() : error;
    }
}
