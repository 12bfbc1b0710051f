package dev.agentdevice.helper.device;

import android.accessibilityservice.AccessibilityServiceInfo;
import android.app.Instrumentation;
import android.app.UiAutomation;
import android.view.InputEvent;

import java.lang.reflect.InvocationTargetException;
import java.lang.reflect.Method;
import java.util.concurrent.TimeoutException;

/** The process's connection to UiAutomation, which Android grants to one process at a time. */
public final class Automation {
    private static final long RETRY_MS = 50;

    private final Instrumentation instrumentation;
    private final Method injectWithoutAnimationWait;
    private UiAutomation connected;

    public Automation(Instrumentation instrumentation) {
        this.instrumentation = instrumentation;
        injectWithoutAnimationWait = hiddenInject();
    }

    /** A failed command may mean a lost connection; the next one connects anew. */
    public synchronized void forget() {
        connected = null;
    }

    /** Connects if need be. getUiAutomation itself can block for ever, so it gets a thread that may be left behind. */
    public synchronized UiAutomation get(long timeoutMs) throws TimeoutException, InterruptedException {
        if (connected != null) {
            return connected;
        }
        final Attempt attempt = new Attempt();
        Thread thread = new Thread("ui-automation-connect") {
            @Override
            public void run() {
                attempt.run();
            }
        };
        thread.setDaemon(true);
        thread.start();
        connected = attempt.await(Math.max(1, timeoutMs));
        retrieveWindows(connected);
        return connected;
    }

    private final class Attempt {
        private UiAutomation result;
        private RuntimeException failure;
        private boolean abandoned;

        void run() {
            while (true) {
                UiAutomation got = null;
                RuntimeException problem = null;
                try {
                    got = ApiLevel.NO_SUPPRESS_FLAG
                            // Without it TalkBack and password managers stop for as long as the helper lives.
                            ? instrumentation.getUiAutomation(UiAutomation.FLAG_DONT_SUPPRESS_ACCESSIBILITY_SERVICES)
                            : instrumentation.getUiAutomation();
                    if (got != null) {
                        got.getServiceInfo();
                    }
                } catch (RuntimeException e) {
                    problem = e;
                }
                synchronized (this) {
                    if (problem != null && !stillConnecting(problem)) {
                        failure = problem;
                    } else if (problem == null && got != null) {
                        result = got;
                    }
                    if (result != null || failure != null || abandoned) {
                        notifyAll();
                        return;
                    }
                }
                try {
                    Thread.sleep(RETRY_MS);
                } catch (InterruptedException e) {
                    return;
                }
            }
        }

        synchronized UiAutomation await(long timeoutMs) throws TimeoutException, InterruptedException {
            long deadline = UptimeClock.INSTANCE.nowMs() + timeoutMs;
            while (result == null && failure == null) {
                long left = deadline - UptimeClock.INSTANCE.nowMs();
                if (left <= 0) {
                    abandoned = true;
                    throw new TimeoutException("Timed out waiting for Android UiAutomation to connect");
                }
                wait(left);
            }
            if (failure != null) {
                throw failure;
            }
            return result;
        }
    }

    static boolean stillConnecting(Throwable e) {
        String text = String.valueOf(e.getMessage());
        return text.contains("while connecting") || text.toLowerCase(java.util.Locale.ROOT).contains("not connected");
    }

    /** Without the flag there is only the active window: no keyboard, no dialogs of others. Old platforms may refuse it. */
    private static void retrieveWindows(UiAutomation automation) {
        try {
            AccessibilityServiceInfo info = automation.getServiceInfo();
            if ((info.flags & AccessibilityServiceInfo.FLAG_RETRIEVE_INTERACTIVE_WINDOWS) == 0) {
                info.flags |= AccessibilityServiceInfo.FLAG_RETRIEVE_INTERACTIVE_WINDOWS;
                automation.setServiceInfo(info);
            }
        } catch (RuntimeException e) {
            // The capture then says active-window.
        }
    }

    /** Screens that swap their content inside one window leave the previous screen in the cache of a long-lived connection. */
    static void dropNodeCache(UiAutomation automation) {
        if (ApiLevel.CLEAR_CACHE) {
            try {
                automation.clearCache();
                return;
            } catch (RuntimeException e) {
                // The older way works as well.
            }
        }
        try {
            automation.setServiceInfo(automation.getServiceInfo());
        } catch (RuntimeException e) {
            // A cache that can't be dropped is still a readable tree.
        }
    }

    /** Returns whether the screen was quiet in time. */
    static boolean waitForIdle(UiAutomation automation, long quietMs, long timeoutMs) {
        try {
            automation.waitForIdle(quietMs, timeoutMs);
            return true;
        } catch (TimeoutException e) {
            // An app that never rests still has a readable tree.
            return false;
        }
    }

    /** The public call also waits for window animations before each event, which ruins the pace of a gesture. */
    boolean inject(UiAutomation automation, InputEvent event, boolean waits) {
        if (injectWithoutAnimationWait != null) {
            try {
                return (Boolean) injectWithoutAnimationWait.invoke(automation, event, waits, false);
            } catch (IllegalAccessException e) {
                // Falls through to the public call: nothing was sent.
            } catch (InvocationTargetException e) {
                if (e.getCause() instanceof RuntimeException) {
                    throw (RuntimeException) e.getCause();
                }
                throw new IllegalStateException(e.getCause());
            }
        }
        return automation.injectInputEvent(event, waits);
    }

    private static Method hiddenInject() {
        try {
            return UiAutomation.class.getMethod("injectInputEvent", InputEvent.class, boolean.class, boolean.class);
        } catch (NoSuchMethodException e) {
            return null;
        }
    }
}
