package dev.agentdevice.platform;

import android.content.ClipData;
import android.content.ClipboardManager;
import android.content.Context;

import dev.agentdevice.session.Reply;

import java.nio.charset.StandardCharsets;

/** The device's clipboard, as far as this process may use it. */
public final class Clipboard {
    private final Context context;
    private final ClipboardManager manager;
    private final boolean guarded;

    /**
     * On the main thread: older Androids make a Handler here. A guarded clipboard looks empty to this process unless its app is
     * in front.
     */
    public Clipboard(Context context, boolean guarded) {
        this.context = context;
        this.guarded = guarded;
        manager = (ClipboardManager) context.getSystemService(Context.CLIPBOARD_SERVICE);
    }

    public void tell(Reply reply) {
        ClipData clip = manager.getPrimaryClip();
        boolean present = clip != null && clip.getItemCount() > 0;
        if (!present && guarded) {
            throw new SecurityException("the clipboard is empty or closed to background processes; the test keyboard may read it");
        }
        CharSequence text = present ? clip.getItemAt(0).coerceToText(context) : null;
        byte[] bytes = (text == null ? "" : text.toString()).getBytes(StandardCharsets.UTF_8);
        reply.put("kind", "clipboard").put("present", present).put("bodyFormat", "text/plain").body(bytes, bytes.length);
    }

    public void set(String text, Reply reply) {
        manager.setPrimaryClip(ClipData.newPlainText("", text));
        reply.put("kind", "clipboard");
    }
}
