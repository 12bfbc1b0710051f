package testbed.device.ime;

import android.app.Dialog;
import android.inputmethodservice.InputMethodService;
import android.view.Gravity;
import android.view.KeyEvent;
import android.view.View;
import android.view.ViewGroup;
import android.view.WindowManager;
import android.view.inputmethod.InputConnection;
import android.widget.EditText;
import android.widget.LinearLayout;
import android.widget.TextView;

/** The built-in input method: a real service, whose keys commit to the served field. */
final class LatinIme extends InputMethodService {
    static final String PACKAGE = "com.android.inputmethod.latin";
    private static final String[] ROWS = {"qwertyuiop", "asdfghjkl", "zxcvbnm", ", ."};
    private static final int HEIGHT = 780;

    private Dialog search;

    @Override
    public View onCreateInputView() {
        LinearLayout keyboard = new LinearLayout(this);
        keyboard.setOrientation(LinearLayout.VERTICAL);
        keyboard.setBackgroundColor(0xffe0e0e0);
        keyboard.setLayoutParams(new ViewGroup.LayoutParams(ViewGroup.LayoutParams.MATCH_PARENT, HEIGHT));
        for (String row : ROWS) {
            LinearLayout line = new LinearLayout(this);
            for (char c : row.toCharArray()) key(line, c == ' ' ? "Space" : String.valueOf(c), () -> commit(String.valueOf(c)));
            if (row.equals(ROWS[2])) key(line, "Delete", () -> sendDownUpKeyEvents(KeyEvent.KEYCODE_DEL));
            if (row.equals(ROWS[3])) key(line, "Enter", () -> sendKeyChar('\n'));
            keyboard.addView(line, new LinearLayout.LayoutParams(-1, HEIGHT / ROWS.length));
        }
        return keyboard;
    }

    private void key(LinearLayout line, String label, Runnable action) {
        TextView key = new TextView(this);
        key.setText(label);
        key.setGravity(Gravity.CENTER);
        key.setOnClickListener(v -> action.run());
        line.addView(key, new LinearLayout.LayoutParams(0, -1, 1));
    }

    /** A field of the keyboard's own, in a window that takes the focus. */
    void openSearch() {
        if (search != null) return;
        search = new Dialog(this, android.R.style.Theme_Material_Light_Dialog);
        EditText field = new EditText(search.getContext());
        field.setHint("Search");
        search.setContentView(field);
        search.getWindow().setType(WindowManager.LayoutParams.TYPE_INPUT_METHOD_DIALOG);
        search.show();
        field.requestFocus();
    }

    void closeSearch() {
        if (search != null) search.dismiss();
        search = null;
    }

    @Override
    public void onDestroy() {
        closeSearch();
        super.onDestroy();
    }

    private void commit(String text) {
        InputConnection to = getCurrentInputConnection();
        if (to != null) to.commitText(text, 1);
    }

    @Override
    public boolean onEvaluateFullscreenMode() {
        // As the keyboards of today: none takes the whole screen in landscape.
        return false;
    }
}
