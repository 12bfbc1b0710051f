package testbed.device.ime;

import android.content.Context;
import android.content.ContextWrapper;
import android.graphics.PixelFormat;
import android.view.Gravity;
import android.view.KeyEvent;
import android.view.WindowManager;
import android.view.WindowManager.LayoutParams;
import android.view.inputmethod.InputConnection;
import android.widget.LinearLayout;
import android.widget.TextView;
import org.robolectric.RuntimeEnvironment;

/** The built-in keyboard: a window of its own at the bottom, whose keys commit to the served field. */
final class Keyboard {
    private static final String PACKAGE = "com.android.inputmethod.latin";
    private static final String[] ROWS = {"qwertyuiop", "asdfghjkl", "zxcvbnm", ", ."};
    private static final int HEIGHT = 780;

    private static LinearLayout view;

    private Keyboard() {}

    static void show() {
        if (view != null) return;
        Context context = new ContextWrapper(RuntimeEnvironment.getApplication()) {
            @Override
            public String getPackageName() {
                return PACKAGE;
            }
        };
        context = new android.view.ContextThemeWrapper(context, android.R.style.Theme_Material_Light);
        LinearLayout keyboard = new LinearLayout(context);
        keyboard.setOrientation(LinearLayout.VERTICAL);
        keyboard.setBackgroundColor(0xffe0e0e0);
        for (String row : ROWS) {
            LinearLayout line = new LinearLayout(context);
            for (char c : row.toCharArray()) key(line, c == ' ' ? "Space" : String.valueOf(c), () -> commit(String.valueOf(c)));
            if (row.equals(ROWS[2])) key(line, "Delete", () -> press(KeyEvent.KEYCODE_DEL));
            if (row.equals(ROWS[3])) key(line, "Enter", () -> press(KeyEvent.KEYCODE_ENTER));
            keyboard.addView(line, new LinearLayout.LayoutParams(-1, 0, 1));
        }
        LayoutParams params = new LayoutParams(LayoutParams.MATCH_PARENT, HEIGHT, LayoutParams.TYPE_INPUT_METHOD,
                LayoutParams.FLAG_NOT_FOCUSABLE | LayoutParams.FLAG_LAYOUT_IN_SCREEN | LayoutParams.FLAG_HARDWARE_ACCELERATED, PixelFormat.OPAQUE);
        params.gravity = Gravity.BOTTOM;
        params.setTitle("InputMethod");
        manager().addView(keyboard, params);
        view = keyboard;
    }

    private static void key(LinearLayout line, String label, Runnable action) {
        TextView key = new TextView(line.getContext());
        key.setText(label);
        key.setGravity(Gravity.CENTER);
        key.setOnClickListener(v -> action.run());
        line.addView(key, new LinearLayout.LayoutParams(0, -1, 1));
    }

    private static void commit(String text) {
        InputConnection to = InputMethods.connection();
        if (to != null) to.commitText(text, 1);
    }

    private static void press(int code) {
        InputConnection to = InputMethods.connection();
        if (to == null) return;
        to.sendKeyEvent(new KeyEvent(KeyEvent.ACTION_DOWN, code));
        to.sendKeyEvent(new KeyEvent(KeyEvent.ACTION_UP, code));
    }

    static void hide() {
        if (view == null) return;
        manager().removeViewImmediate(view);
        view = null;
    }

    private static WindowManager manager() {
        return (WindowManager) RuntimeEnvironment.getApplication().getSystemService(Context.WINDOW_SERVICE);
    }
}
