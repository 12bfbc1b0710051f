package testbed.device.wm;

import android.content.res.Resources;
import android.graphics.Bitmap;
import android.graphics.Canvas;
import android.graphics.Rect;
import android.util.DisplayMetrics;
import android.view.Surface;
import android.view.View;
import android.view.WindowManager.LayoutParams;
import java.util.List;
import org.robolectric.shadows.ShadowPixelCopy;
import testbed.device.Device;
import testbed.device.LogBuffer;
import testbed.device.MainLoop;
import testbed.device.Reflect;
import testbed.device.Settings;

/** The display: its size, and a picture of all windows on it. */
public final class Screen {
    public static final int PHYSICAL_WIDTH = 1080;
    public static final int PHYSICAL_HEIGHT = 2400;
    public static final int PHYSICAL_DENSITY = 480;

    private static String size;
    private static int density;
    private static int rotation;

    private Screen() {}

    public static String overriddenSize() {
        return size;
    }

    public static int overriddenDensity() {
        return density;
    }

    public static int rotation() {
        return rotation;
    }

    public static void overrideSize(String value) {
        size = value;
        apply();
    }

    public static void overrideDensity(int value) {
        density = value;
        apply();
    }

    /** As it was built; the settings must say so already. */
    public static void reset() {
        boolean changed = size != null || density != 0;
        size = null;
        density = 0;
        if (changed) apply();
        followSettings();
    }

    /** Turned by the user's setting, or by the sensor: the device stands upright. */
    public static void followSettings() {
        String locked = Settings.get("system", "accelerometer_rotation");
        String wanted = Settings.get("system", "user_rotation");
        rotate("0".equals(locked) && wanted != null && wanted.matches("[0-3]") ? Integer.parseInt(wanted) : 0);
    }

    /** 0 to 3, a quarter turn each. */
    private static void rotate(int value) {
        if (value == rotation) return;
        rotation = value;
        apply();
    }

    /** Changes the display and lets every activity know, as a configuration change does. */
    private static void apply() {
        MainLoop.run(() -> {
            int width = size == null ? PHYSICAL_WIDTH : Integer.parseInt(size.substring(0, size.indexOf('x')));
            int height = size == null ? PHYSICAL_HEIGHT : Integer.parseInt(size.substring(size.indexOf('x') + 1));
            int dpi = density == 0 ? PHYSICAL_DENSITY : density;
            boolean turned = rotation % 2 == 1;
            int w = (turned ? height : width) * 160 / dpi;
            int h = (turned ? width : height) * 160 / dpi;
            org.robolectric.Shadows.shadowOf(org.robolectric.shadows.ShadowDisplay.getDefaultDisplay()).setRotation(rotation);
            org.robolectric.RuntimeEnvironment.setQualifiers("w" + w + "dp-h" + h + "dp-" + (w > h ? "land" : "port") + "-" + dpi + "dpi");
            testbed.device.am.Activities.configurationChanged();
        });
    }

    public static int width() {
        return metrics().widthPixels;
    }

    public static int height() {
        return metrics().heightPixels;
    }

    public static int density() {
        return metrics().densityDpi;
    }

    private static DisplayMetrics metrics() {
        return Resources.getSystem().getDisplayMetrics();
    }

    public static Bitmap capture() {
        return MainLoop.call(() -> {
            Bitmap picture = Bitmap.createBitmap(width(), height(), Bitmap.Config.ARGB_8888);
            Canvas canvas = new Canvas(picture);
            canvas.drawColor(0xff000000);
            Windows.tick();
            List<Windows.Record> windows = Windows.visible();
            for (int i = windows.size() - 1; i >= 0; i--) {
                Windows.Record window = windows.get(i);
                if ((window.params.flags & LayoutParams.FLAG_DIM_BEHIND) != 0) canvas.drawColor((int) (window.params.dimAmount * 255) << 24);
                if ((window.params.flags & LayoutParams.FLAG_SECURE) != 0) {
                    android.graphics.Paint black = new android.graphics.Paint();
                    black.setColor(0xff000000);
                    canvas.drawRect(window.frame, black);
                    continue;
                }
                Bitmap content = draw(window);
                canvas.drawBitmap(content, window.frame.left, window.frame.top, null);
                content.recycle();
            }
            return picture;
        });
    }

    private static Bitmap draw(Windows.Record window) {
        View view = window.view;
        Bitmap content = Bitmap.createBitmap(view.getWidth(), view.getHeight(), Bitmap.Config.ARGB_8888);
        Surface surface = Reflect.get(window.root, "mSurface");
        if (Device.api() >= 33 && surface != null && surface.isValid()) {
            try {
                int[] at = new int[2];
                view.getLocationInSurface(at);
                java.lang.reflect.Method copy = ShadowPixelCopy.class.getDeclaredMethod("captureImageFromSurface", Surface.class, Bitmap.class, Rect.class);
                copy.setAccessible(true);
                copy.invoke(null, surface, content, new Rect(at[0], at[1], at[0] + view.getWidth(), at[1] + view.getHeight()));
                return content;
            } catch (ReflectiveOperationException e) {
                LogBuffer.error("SurfaceFlinger", String.valueOf(e.getCause()));
            }
        }
        view.draw(new Canvas(content));
        return content;
    }
}
