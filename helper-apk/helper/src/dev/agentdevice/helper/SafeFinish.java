package dev.agentdevice.helper;

import android.app.Instrumentation;
import android.os.Bundle;

import java.lang.reflect.Field;

/**
 * Instrumentation.finish throws while UiAutomation is still connecting, and that crash would hide the error that the result
 * tells.
 */
final class SafeFinish {
    private static final int ATTEMPTS = 100;
    private static final long RETRY_MS = 100;

    private SafeFinish() {
    }

    static void finish(Instrumentation instrumentation, int code, Bundle result) {
        for (int i = 0; i < ATTEMPTS; i++) {
            try {
                instrumentation.finish(code, result);
                return;
            } catch (IllegalStateException e) {
                if (!String.valueOf(e.getMessage()).contains("while connecting")) {
                    throw e;
                }
            }
            try {
                Thread.sleep(RETRY_MS);
            } catch (InterruptedException e) {
                break;
            }
        }
        dropAutomation(instrumentation);
        instrumentation.finish(code, result);
    }

    private static void dropAutomation(Instrumentation instrumentation) {
        try {
            Field field = Instrumentation.class.getDeclaredField("mUiAutomation");
            field.setAccessible(true);
            field.set(instrumentation, null);
        } catch (ReflectiveOperationException e) {
            // Hidden on this Android: the last attempt decides.
        } catch (RuntimeException e) {
            // The same.
        }
    }
}
