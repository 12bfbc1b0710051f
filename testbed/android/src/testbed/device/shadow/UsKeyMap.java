package testbed.device.shadow;

import android.view.KeyEvent;
import java.util.ArrayList;
import java.util.List;
import org.robolectric.annotation.Implementation;
import org.robolectric.annotation.Implements;
import org.robolectric.shadows.ShadowKeyCharacterMap;
import testbed.device.wm.UsKeyboard;

/** The stock map lacks half of the punctuation. */
@Implements(className = "android.view.KeyCharacterMap", isInAndroidSdk = false)
public class UsKeyMap extends ShadowKeyCharacterMap {
    @Implementation
    protected static char nativeGetCharacter(long map, int code, int meta) {
        return UsKeyboard.character(code, meta);
    }

    @Implementation
    protected static KeyEvent[] nativeGetEvents(long map, char[] characters) {
        List<KeyEvent> events = new ArrayList<>();
        for (char c : characters) {
            int code = UsKeyboard.code(c);
            if (code == 0) return null;
            int meta = UsKeyboard.shifted(c) ? KeyEvent.META_SHIFT_ON | KeyEvent.META_SHIFT_LEFT_ON : 0;
            if (meta != 0) events.add(event(KeyEvent.ACTION_DOWN, KeyEvent.KEYCODE_SHIFT_LEFT, meta));
            events.add(event(KeyEvent.ACTION_DOWN, code, meta));
            events.add(event(KeyEvent.ACTION_UP, code, meta));
            if (meta != 0) events.add(event(KeyEvent.ACTION_UP, KeyEvent.KEYCODE_SHIFT_LEFT, 0));
        }
        return events.toArray(new KeyEvent[0]);
    }

    private static KeyEvent event(int action, int code, int meta) {
        long now = android.os.SystemClock.uptimeMillis();
        return new KeyEvent(now, now, action, code, 0, meta, -1, 0, 0, 0x101);
    }
}
