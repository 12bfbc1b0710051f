package dev.agentdevice.helper;

import dev.agentdevice.session.WireErrors;

/** A field of the keyboard itself has the focus, such as that of its search: a text would go there. Nothing was typed. */
public final class ImeCaptureException extends RuntimeException implements WireErrors.Named {
    public ImeCaptureException(String message) {
        super(message);
    }

    @Override
    public String wireName() {
        return "ImeCaptureException";
    }
}
