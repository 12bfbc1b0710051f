package dev.agentdevice.helper.device;

import android.app.UiAutomation;
import android.os.SystemClock;
import android.view.InputDevice;
import android.view.KeyCharacterMap;
import android.view.KeyEvent;

import dev.agentdevice.session.Failure;

/** Presses keys. */
final class Keys {
    private final Automation automation;

    Keys(Automation automation) {
        this.automation = automation;
    }

    int press(int code, int meta) throws Failure {
        UiAutomation connection = connect();
        long now = SystemClock.uptimeMillis();
        send(connection, new KeyEvent[] {
            new KeyEvent(now, now, KeyEvent.ACTION_DOWN, code, 0, meta, KeyCharacterMap.VIRTUAL_KEYBOARD, 0, 0,
                    InputDevice.SOURCE_KEYBOARD),
            new KeyEvent(now, now, KeyEvent.ACTION_UP, code, 0, meta, KeyCharacterMap.VIRTUAL_KEYBOARD, 0, 0,
                    InputDevice.SOURCE_KEYBOARD),
        });
        return 2;
    }

    /** Null when the keyboard of key events has no key for a character. */
    static KeyEvent[] eventsFor(String text) {
        return KeyCharacterMap.load(KeyCharacterMap.VIRTUAL_KEYBOARD).getEvents(text.toCharArray());
    }

    void send(KeyEvent[] events) throws Failure {
        send(connect(), events);
    }

    private UiAutomation connect() throws Failure {
        try {
            return automation.get(8000);
        } catch (Exception e) {
            throw Failure.beforeStart(e).with("injectedEvents", 0).with("attemptedEvents", 0);
        }
    }

    private void send(UiAutomation connection, KeyEvent[] events) throws Failure {
        int injected = 0;
        int attempted = 0;
        try {
            for (KeyEvent event : events) {
                attempted++;
                // Events made by the key map carry the time of their making, and the platform drops old ones.
                KeyEvent timed = KeyEvent.changeTimeRepeat(event, SystemClock.uptimeMillis(), 0);
                if (!automation.inject(connection, timed, true)) {
                    throw new IllegalStateException("injectInputEvent returned false");
                }
                injected++;
            }
        } catch (RuntimeException e) {
            if (e instanceof SecurityException) {
                attempted--;
            }
            Failure failure = attempted == 0 ? Failure.beforeStart(e) : Failure.afterStart(e);
            throw failure.with("injectedEvents", injected).with("attemptedEvents", attempted);
        }
    }
}
