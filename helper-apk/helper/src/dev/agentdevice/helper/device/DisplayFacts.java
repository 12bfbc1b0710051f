package dev.agentdevice.helper.device;

import android.content.Context;
import android.graphics.Rect;
import android.hardware.display.DisplayManager;
import android.util.DisplayMetrics;
import android.view.Display;
import android.view.WindowManager;

/** The default display at one moment. */
final class DisplayFacts {
    final int width;
    final int height;
    final int rotation;
    /** With an override by {@code wm density}. */
    final float density;

    private DisplayFacts(int width, int height, int rotation, float density) {
        this.width = width;
        this.height = height;
        this.rotation = rotation;
        this.density = density;
    }

    /** Null when the display can't be asked. The size is the whole one: nodes of a navigation bar have screen coordinates too. */
    static DisplayFacts read(Context context) {
        try {
            DisplayManager displays = (DisplayManager) context.getSystemService(Context.DISPLAY_SERVICE);
            Display display = displays.getDisplay(Display.DEFAULT_DISPLAY);
            DisplayMetrics metrics = new DisplayMetrics();
            display.getRealMetrics(metrics);
            int width = metrics.widthPixels;
            int height = metrics.heightPixels;
            if (ApiLevel.WINDOW_METRICS) {
                WindowManager windows = (WindowManager) context.getSystemService(Context.WINDOW_SERVICE);
                Rect bounds = windows.getMaximumWindowMetrics().getBounds();
                width = bounds.width();
                height = bounds.height();
            }
            return new DisplayFacts(width, height, display.getRotation(), metrics.density);
        } catch (RuntimeException e) {
            return null;
        }
    }

    /** Whether both are readings of a display that did not turn or change its size between them. */
    static boolean agree(DisplayFacts a, DisplayFacts b) {
        return a != null && b != null && a.width > 0 && a.height > 0
                && a.width == b.width && a.height == b.height && a.rotation == b.rotation;
    }
}
