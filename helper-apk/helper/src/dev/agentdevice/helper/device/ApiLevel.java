package dev.agentdevice.helper.device;

import android.os.Build;

/** From which Android on a thing can be asked for. Everything that depends on the version of Android does so by a name from here. */
public final class ApiLevel {
    static final boolean DRAWING_ORDER = Build.VERSION.SDK_INT >= 24;
    static final boolean WINDOW_TITLE = Build.VERSION.SDK_INT >= 24;
    static final boolean NO_SUPPRESS_FLAG = Build.VERSION.SDK_INT >= 24;
    static final boolean HINT = Build.VERSION.SDK_INT >= 26;
    /**
     * Before, fields obey the action without listing it, and one that formats its text crashes its app: the platform puts the
     * cursor where the text would have ended.
     */
    static final boolean SET_TEXT_SOUND = Build.VERSION.SDK_INT >= 26;
    static final boolean HEADING = Build.VERSION.SDK_INT >= 28;
    /** From here on only the focused app and the keyboard may read the clipboard. */
    public static final boolean CLIPBOARD_GUARDED = Build.VERSION.SDK_INT >= 29;
    static final boolean WINDOW_METRICS = Build.VERSION.SDK_INT >= 30;
    static final boolean STATE_DESCRIPTION = Build.VERSION.SDK_INT >= 30;
    static final boolean WINDOW_REGION = Build.VERSION.SDK_INT >= 33;
    /** Recycling does nothing any more. */
    static final boolean NO_RECYCLE = Build.VERSION.SDK_INT >= 33;
    static final boolean CLEAR_CACHE = Build.VERSION.SDK_INT >= 34;

    private ApiLevel() {
    }
}
