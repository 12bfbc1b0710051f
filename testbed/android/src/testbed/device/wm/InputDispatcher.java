package testbed.device.wm;

import android.os.SystemClock;
import android.view.InputEvent;
import android.view.KeyEvent;
import android.view.MotionEvent;
import android.view.WindowManager.LayoutParams;
import testbed.device.LogBuffer;
import testbed.device.MainLoop;
import testbed.device.Reflect;
import testbed.device.am.Activities;
import testbed.device.ime.InputMethods;

/** Decides which window an event belongs to and puts it into that window's own input pipeline. */
public final class InputDispatcher {
    private static Windows.Record touched;

    private InputDispatcher() {}

    /** True = delivered, whether or not a view wanted it. */
    public static boolean inject(InputEvent event, boolean wait) {
        if (event instanceof KeyEvent && isSystemKey((KeyEvent) event)) return true;
        InputEvent copy = event instanceof MotionEvent ? MotionEvent.obtain((MotionEvent) event) : new KeyEvent((KeyEvent) event);
        if (!wait && !MainLoop.isMain()) {
            MainLoop.post(() -> dispatch(copy));
            return true;
        }
        return MainLoop.call(() -> dispatch(copy), 60_000);
    }

    private static boolean dispatch(InputEvent event) {
        Windows.tick();
        return event instanceof MotionEvent ? dispatchMotion((MotionEvent) event) : dispatchKey((KeyEvent) event);
    }

    private static boolean dispatchMotion(MotionEvent event) {
        int action = event.getActionMasked();
        if (action == MotionEvent.ACTION_DOWN || touched == null || !Windows.visible().stream().anyMatch(w -> w.root == touched.root)) {
            if (action != MotionEvent.ACTION_DOWN && action != MotionEvent.ACTION_SCROLL && action != MotionEvent.ACTION_HOVER_MOVE) return touched != null;
            touched = target(event);
        }
        if (touched == null) {
            LogBuffer.add(1, 4, "InputDispatcher", "Dropping event because there is no touchable window at (" + event.getX() + ", " + event.getY() + ")");
            return false;
        }
        deliver(touched, event);
        if (action == MotionEvent.ACTION_UP || action == MotionEvent.ACTION_CANCEL) touched = null;
        return true;
    }

    private static Windows.Record target(MotionEvent event) {
        int x = (int) event.getX();
        int y = (int) event.getY();
        for (Windows.Record window : Windows.visible()) {
            if (!window.isTouchable()) continue;
            if (window.isModal() || window.region().contains(x, y)) return window;
            if ((window.params.flags & LayoutParams.FLAG_WATCH_OUTSIDE_TOUCH) != 0 && event.getActionMasked() == MotionEvent.ACTION_DOWN) {
                MotionEvent outside = MotionEvent.obtain(event);
                outside.setAction(MotionEvent.ACTION_OUTSIDE);
                deliver(window, outside);
            }
        }
        return null;
    }

    private static void deliver(Windows.Record window, MotionEvent event) {
        MotionEvent copy = MotionEvent.obtain(event);
        copy.offsetLocation(-window.frame.left, -window.frame.top);
        Reflect.call(window.root, "enqueueInputEvent", copy, null, 0, true);
    }

    private static boolean dispatchKey(KeyEvent event) {
        Windows.Record window = Windows.focused();
        if (window == null) {
            LogBuffer.add(1, 5, "InputDispatcher", "Dropping key because no window has focus");
            return true;
        }
        if (InputMethods.takesKey(event)) return true;
        Reflect.call(window.root, "enqueueInputEvent", event, null, 0, true);
        return true;
    }

    /** Keys that never reach an app. */
    private static boolean isSystemKey(KeyEvent event) {
        boolean up = event.getAction() == KeyEvent.ACTION_UP;
        switch (event.getKeyCode()) {
            case KeyEvent.KEYCODE_HOME:
                if (up) MainLoop.run(Activities::home);
                return true;
            case KeyEvent.KEYCODE_APP_SWITCH:
            case KeyEvent.KEYCODE_POWER:
            case KeyEvent.KEYCODE_WAKEUP:
            case KeyEvent.KEYCODE_SLEEP:
            case KeyEvent.KEYCODE_VOLUME_UP:
            case KeyEvent.KEYCODE_VOLUME_DOWN:
                return true;
            default:
                return false;
        }
    }

    public static void key(int code, int meta) {
        long now = SystemClock.uptimeMillis();
        inject(new KeyEvent(now, now, KeyEvent.ACTION_DOWN, code, 0, meta, -1, 0, KeyEvent.FLAG_FROM_SYSTEM, 0x101), true);
        inject(new KeyEvent(now, SystemClock.uptimeMillis(), KeyEvent.ACTION_UP, code, 0, meta, -1, 0, KeyEvent.FLAG_FROM_SYSTEM, 0x101), true);
    }

    /** AccessibilityService's global actions: back and home. */
    public static boolean globalAction(int action) {
        if (action == 1) key(KeyEvent.KEYCODE_BACK, 0);
        else if (action == 2) key(KeyEvent.KEYCODE_HOME, 0);
        else return false;
        return true;
    }
}
