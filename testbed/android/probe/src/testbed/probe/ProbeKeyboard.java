package testbed.probe;

import android.inputmethodservice.InputMethodService;
import android.view.KeyEvent;
import android.view.View;
import android.view.ViewGroup;
import android.view.inputmethod.EditorInfo;
import android.widget.Button;
import android.widget.LinearLayout;

/** A keyboard with three keys in a strip at the bottom. */
public final class ProbeKeyboard extends InputMethodService {
    private static final int HEIGHT = 300;

    @Override
    public View onCreateInputView() {
        LinearLayout keys = new LinearLayout(this);
        keys.setLayoutParams(new ViewGroup.LayoutParams(ViewGroup.LayoutParams.MATCH_PARENT, HEIGHT));
        key(keys, "Ö", new Runnable() {
            @Override
            public void run() {
                getCurrentInputConnection().commitText("Ö", 1);
            }
        });
        key(keys, "Erase", new Runnable() {
            @Override
            public void run() {
                sendDownUpKeyEvents(KeyEvent.KEYCODE_DEL);
            }
        });
        key(keys, "Hide", new Runnable() {
            @Override
            public void run() {
                requestHideSelf(0);
            }
        });
        key(keys, "Latin", new Runnable() {
            @Override
            public void run() {
                switchInputMethod("com.android.inputmethod.latin/.LatinIME");
            }
        });
        return keys;
    }

    private void key(LinearLayout keys, String label, final Runnable action) {
        Button key = new Button(this);
        key.setText(label);
        key.setOnClickListener(new View.OnClickListener() {
            @Override
            public void onClick(View view) {
                action.run();
            }
        });
        keys.addView(key, new LinearLayout.LayoutParams(0, HEIGHT, 1));
    }

    @Override
    public void onStartInput(EditorInfo editor, boolean restarting) {
        android.util.Log.i("ProbeKeyboard", "start " + editor.packageName + " type " + Integer.toHexString(editor.inputType));
    }

    @Override
    public boolean onEvaluateFullscreenMode() {
        return false;
    }
}
