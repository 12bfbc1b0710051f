package testbed.device.shell;

import android.os.SystemClock;
import android.view.KeyCharacterMap;
import android.view.KeyEvent;
import android.view.MotionEvent;
import testbed.boot.RealTime;
import testbed.device.wm.InputDispatcher;

/** input: taps, strokes, keys and text, through the window's own pipeline. */
final class InputCommand implements Command {
    private static final int TOUCHSCREEN = 0x1002;

    @Override
    public int run(Call call) throws Exception {
        String verb = call.next();
        while (verb != null && (verb.matches("touchscreen|keyboard|touchpad|mouse|stylus|dpad|gamepad|joystick|trackball|touchnavigation") || verb.equals("-d"))) {
            if (verb.equals("-d")) call.next();
            verb = call.next();
        }
        if (verb == null) {
            call.err.println("Error: Insufficient arguments");
            return 255;
        }
        switch (verb) {
            case "tap":
                tap(number(call, verb), number(call, verb));
                return 0;
            case "swipe":
            case "draganddrop": {
                float x1 = number(call, verb);
                float y1 = number(call, verb);
                float x2 = number(call, verb);
                float y2 = number(call, verb);
                swipe(x1, y1, x2, y2, call.peek() == null ? 300 : Long.parseLong(call.next()), verb.equals("draganddrop"));
                return 0;
            }
            case "motionevent": {
                String action = call.required(verb).toUpperCase(java.util.Locale.ROOT);
                motion(action);
                send(action.equals("DOWN") ? MotionEvent.ACTION_DOWN : action.equals("UP") ? MotionEvent.ACTION_UP : action.equals("CANCEL") ? MotionEvent.ACTION_CANCEL : MotionEvent.ACTION_MOVE,
                        downAt, SystemClock.uptimeMillis(), number(call, verb), number(call, verb));
                return 0;
            }
            case "text":
                return text(call, call.required(verb));
            case "keyevent":
                return keys(call);
            case "press":
            case "roll":
                return 0;
            default:
                call.err.println("Error: Unknown command: " + verb);
                return 255;
        }
    }

    private static long downAt;

    private static void motion(String action) {
        if (action.equals("DOWN")) downAt = SystemClock.uptimeMillis();
    }

    private static float number(Call call, String verb) {
        String word = call.required(verb);
        try {
            return Float.parseFloat(word);
        } catch (NumberFormatException e) {
            throw new IllegalArgumentException("Invalid arguments for command: " + verb);
        }
    }

    private static void send(int action, long down, long when, float x, float y) {
        MotionEvent event = MotionEvent.obtain(down, when, action, x, y, action == MotionEvent.ACTION_UP ? 0f : 1f, 1f, 0, 1f, 1f, 0, 0);
        event.setSource(TOUCHSCREEN);
        InputDispatcher.inject(event, true);
        event.recycle();
    }

    private static void tap(float x, float y) {
        long now = SystemClock.uptimeMillis();
        send(MotionEvent.ACTION_DOWN, now, now, x, y);
        send(MotionEvent.ACTION_UP, now, SystemClock.uptimeMillis(), x, y);
    }

    private static void swipe(float x1, float y1, float x2, float y2, long duration, boolean drag) throws InterruptedException {
        long down = SystemClock.uptimeMillis();
        send(MotionEvent.ACTION_DOWN, down, down, x1, y1);
        if (drag) RealTime.sleep(600);
        long begin = SystemClock.uptimeMillis();
        long now = begin;
        while (now < begin + duration) {
            float part = (now - begin) / (float) duration;
            send(MotionEvent.ACTION_MOVE, down, now, x1 + (x2 - x1) * part, y1 + (y2 - y1) * part);
            RealTime.sleep(5);
            now = SystemClock.uptimeMillis();
        }
        send(MotionEvent.ACTION_MOVE, down, now, x2, y2);
        send(MotionEvent.ACTION_UP, down, now, x2, y2);
    }

    private static int text(Call call, String words) {
        // "%s" stands for a space and can't be escaped: the tool's own rule.
        KeyEvent[] events = KeyCharacterMap.load(KeyCharacterMap.VIRTUAL_KEYBOARD).getEvents(words.replace("%s", " ").toCharArray());
        if (events == null) {
            call.err.println();
            call.err.println("Exception occurred while executing 'text':");
            call.err.println("java.lang.NullPointerException: Attempt to get length of null array");
            call.err.println("\tat com.android.server.input.InputShellCommand.sendText(InputShellCommand.java:303)");
            call.err.println("\tat com.android.server.input.InputShellCommand.runText(InputShellCommand.java:287)");
            return 255;
        }
        for (KeyEvent event : events) InputDispatcher.inject(event, true);
        return 0;
    }

    private static int keys(Call call) throws Exception {
        boolean longPress = false;
        for (String option = call.option(); option != null; option = call.option()) {
            if (option.equals("--longpress")) longPress = true;
            if (option.equals("--delay") || option.equals("--duration")) call.next();
        }
        if (call.peek() == null) {
            call.err.println("Error: Argument expected after \"keyevent\"");
            return 255;
        }
        for (String word : call.rest()) {
            int code = KeyEvent.keyCodeFromString(word);
            if (code == KeyEvent.KEYCODE_UNKNOWN && !word.equals("0")) {
                // API 23 doesn't know the short names.
                code = KeyEvent.keyCodeFromString(word.startsWith("KEYCODE_") ? word.substring(8) : "KEYCODE_" + word);
            }
            long now = SystemClock.uptimeMillis();
            InputDispatcher.inject(key(now, KeyEvent.ACTION_DOWN, code, 0, 0), true);
            if (longPress) {
                RealTime.sleep(500);
                InputDispatcher.inject(key(now, KeyEvent.ACTION_DOWN, code, 1, KeyEvent.FLAG_LONG_PRESS), true);
            }
            InputDispatcher.inject(key(now, KeyEvent.ACTION_UP, code, 0, 0), true);
        }
        return 0;
    }

    private static KeyEvent key(long down, int action, int code, int repeat, int flags) {
        return new KeyEvent(down, SystemClock.uptimeMillis(), action, code, repeat, 0, KeyCharacterMap.VIRTUAL_KEYBOARD, 0, flags, 0x101);
    }
}
