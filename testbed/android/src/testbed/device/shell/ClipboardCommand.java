package testbed.device.shell;

import android.content.ClipData;
import android.content.ClipboardManager;
import org.robolectric.RuntimeEnvironment;
import testbed.device.Faults;
import testbed.device.MainLoop;

/** cmd clipboard, which many builds lack: a fault takes it away. */
public final class ClipboardCommand {
    private ClipboardCommand() {}

    static int run(Call call) {
        if (Faults.isOn("no-clipboard")) {
            call.err.println("No shell command implementation.");
            return 255;
        }
        String verb = call.required("clipboard");
        boolean set = verb.startsWith("set");
        if ("text".equals(call.peek())) call.next();
        if (set) {
            String text = String.join(" ", call.rest());
            set(text);
            return 0;
        }
        CharSequence text = MainLoop.call(() -> {
            ClipData clip = manager().getPrimaryClip();
            return clip == null || clip.getItemCount() == 0 ? null : clip.getItemAt(0).coerceToText(RuntimeEnvironment.getApplication());
        });
        call.out.println(text == null ? "" : text);
        return 0;
    }

    public static void clear() {
        set("");
    }

    private static void set(String text) {
        MainLoop.run(() -> manager().setPrimaryClip(ClipData.newPlainText("text", text)));
    }

    private static ClipboardManager manager() {
        return (ClipboardManager) RuntimeEnvironment.getApplication().getSystemService("clipboard");
    }
}
