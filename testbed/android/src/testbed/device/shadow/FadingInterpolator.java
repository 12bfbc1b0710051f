package testbed.device.shadow;

import android.graphics.Interpolator;
import android.os.SystemClock;
import java.util.TreeMap;
import org.robolectric.annotation.Implementation;
import org.robolectric.annotation.Implements;

/** Without native graphics nothing ends a scroll bar's fading, and every frame draws the next for ever. */
@Implements(className = "android.graphics.Interpolator", isInAndroidSdk = false)
public class FadingInterpolator {
    private final TreeMap<Integer, float[]> frames = new TreeMap<>();

    @Implementation
    protected void reset(int values, int keyFrames) {
        frames.clear();
    }

    @Implementation
    protected void setKeyFrame(int index, int millis, float[] values, float[] blend) {
        frames.put(millis, values.clone());
    }

    @Implementation
    protected Interpolator.Result timeToValues(float[] values) {
        return timeToValues((int) SystemClock.uptimeMillis(), values);
    }

    @Implementation
    protected Interpolator.Result timeToValues(int millis, float[] values) {
        if (frames.isEmpty()) return Interpolator.Result.FREEZE_END;
        boolean before = millis < frames.firstKey();
        boolean after = millis > frames.lastKey();
        float[] from = frames.get(before ? frames.firstKey() : frames.floorKey(millis));
        System.arraycopy(from, 0, values, 0, Math.min(values.length, from.length));
        return before ? Interpolator.Result.FREEZE_START : after ? Interpolator.Result.FREEZE_END : Interpolator.Result.NORMAL;
    }
}
