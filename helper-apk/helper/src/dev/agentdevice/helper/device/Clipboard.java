package dev.agentdevice.helper.device;

import android.content.ClipData;
import android.content.ClipboardManager;
import android.content.Context;

/** The device's clipboard, as far as a background process may use it. */
public final class Clipboard {
    private final Context context;
    private final ClipboardManager manager;

    /** On the main thread: older Androids make a Handler here. */
    public Clipboard(Context context) {
        this.context = context;
        manager = (ClipboardManager) context.getSystemService(Context.CLIPBOARD_SERVICE);
    }

    /** Null for an empty clipboard. */
    public String get() {
        ClipData clip = manager.getPrimaryClip();
        if (clip == null || clip.getItemCount() == 0) {
            if (ApiLevel.CLIPBOARD_GUARDED) {
                throw new SecurityException("the clipboard is empty or closed to background processes; the test keyboard may read it");
            }
            return null;
        }
        CharSequence text = clip.getItemAt(0).coerceToText(context);
        return text == null ? "" : text.toString();
    }

    public void set(String text) {
        manager.setPrimaryClip(ClipData.newPlainText("", text));
    }
}
