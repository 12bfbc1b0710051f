package testbed.device.shadow;

import android.graphics.Paint;
import android.graphics.Rect;
import org.robolectric.annotation.Implementation;
import org.robolectric.annotation.Implements;
import org.robolectric.annotation.RealObject;
import org.robolectric.shadow.api.Shadow;
import org.robolectric.shadows.ShadowPaint;
import org.robolectric.util.ReflectionHelpers.ClassParameter;

/** Gives text its size where no renderer does: without it, what is as high as its text is not on the screen. */
@Implements(className = "android.graphics.Paint", isInAndroidSdk = false)
public class RobotoPaint extends ShadowPaint {
    @RealObject
    private Paint real;

    private float ems(char[] text, int from, int count) {
        float sum = 0;
        for (int i = from; i < from + count; i++) sum += RobotoMetrics.get().advance(text[i]);
        return sum;
    }

    private float scale() {
        return real.getTextSize() * real.getTextScaleX();
    }

    private float advances(char[] text, int from, int count, float[] into, int at) {
        float scale = scale();
        float sum = 0;
        for (int i = 0; i < count; i++) {
            float advance = RobotoMetrics.get().advance(text[from + i]) * scale;
            if (into != null) into[at + i] = advance;
            sum += advance;
        }
        return sum;
    }

    /** The native half of a paint is empty here, and the stock shadow copies nothing of its own: working copies had no size. */
    @Implementation
    protected void set(Paint from) {
        Shadow.directlyOn(real, Paint.class, "set", ClassParameter.from(Paint.class, from));
        real.setTextSize(from.getTextSize());
        real.setTextScaleX(from.getTextScaleX());
        real.setColor(from.getColor());
        real.setFlags(from.getFlags());
        real.setStyle(from.getStyle());
    }

    @Implementation
    protected float ascent() {
        return RobotoMetrics.get().ascent * real.getTextSize();
    }

    @Implementation
    protected float descent() {
        return RobotoMetrics.get().descent * real.getTextSize();
    }

    @Implementation
    protected float getFontMetrics(Paint.FontMetrics metrics) {
        float size = real.getTextSize();
        RobotoMetrics font = RobotoMetrics.get();
        if (metrics != null) {
            metrics.top = font.top * size;
            metrics.ascent = font.ascent * size;
            metrics.descent = font.descent * size;
            metrics.bottom = font.bottom * size;
            metrics.leading = 0;
        }
        return (font.descent - font.ascent) * size;
    }

    @Override
    @Implementation
    protected int getFontMetricsInt(Paint.FontMetricsInt metrics) {
        float size = real.getTextSize();
        RobotoMetrics font = RobotoMetrics.get();
        int ascent = Math.round(font.ascent * size);
        int descent = Math.round(font.descent * size);
        if (metrics != null) {
            metrics.top = (int) Math.floor(font.top * size);
            metrics.ascent = ascent;
            metrics.descent = descent;
            metrics.bottom = (int) Math.ceil(font.bottom * size);
            metrics.leading = 0;
        }
        return descent - ascent;
    }

    @Override
    @Implementation
    protected float measureText(String text) {
        return ems(text.toCharArray(), 0, text.length()) * scale();
    }

    @Override
    @Implementation
    protected float measureText(CharSequence text, int start, int end) {
        return measureText(text.subSequence(start, end).toString());
    }

    @Override
    @Implementation
    protected float measureText(String text, int start, int end) {
        return measureText(text.substring(start, end));
    }

    @Override
    @Implementation
    protected float measureText(char[] text, int from, int count) {
        return ems(text, from, count) * scale();
    }

    @Implementation
    protected int getTextWidths(char[] text, int from, int count, float[] widths) {
        advances(text, from, count, widths, 0);
        return count;
    }

    @Implementation
    protected int getTextWidths(String text, int start, int end, float[] widths) {
        return getTextWidths(text.toCharArray(), start, end - start, widths);
    }

    @Implementation
    protected float getTextRunAdvances(char[] text, int from, int count, int contextFrom, int contextCount, boolean isRtl, float[] into, int at) {
        return advances(text, from, count, into, at);
    }

    @Implementation
    protected float getTextRunAdvances(String text, int start, int end, int contextStart, int contextEnd, boolean isRtl, float[] into, int at) {
        return advances(text.toCharArray(), start, end - start, into, at);
    }

    @Implementation
    protected float getRunAdvance(char[] text, int start, int end, int contextStart, int contextEnd, boolean isRtl, int offset) {
        return advances(text, start, offset - start, null, 0);
    }

    @Implementation
    protected int getOffsetForAdvance(char[] text, int start, int end, int contextStart, int contextEnd, boolean isRtl, float advance) {
        float sum = 0;
        for (int i = start; i < end; i++) {
            float next = advances(text, i, 1, null, 0);
            if (sum + next / 2 > advance) return i;
            sum += next;
        }
        return end;
    }

    @Implementation
    protected int breakText(char[] text, int from, int count, float maxWidth, float[] measured) {
        boolean backwards = count < 0;
        int length = Math.abs(count);
        float sum = 0;
        int taken = 0;
        while (taken < length) {
            float next = advances(text, backwards ? from + length - 1 - taken : from + taken, 1, null, 0);
            if (sum + next > maxWidth) break;
            sum += next;
            taken++;
        }
        if (measured != null && measured.length > 0) measured[0] = sum;
        return taken;
    }

    @Implementation
    protected int breakText(String text, boolean forwards, float maxWidth, float[] measured) {
        return breakText(text.toCharArray(), 0, forwards ? text.length() : -text.length(), maxWidth, measured);
    }

    @Implementation
    protected void getTextBounds(char[] text, int from, int count, Rect bounds) {
        bounds.set(0, (int) Math.floor(ascent()), Math.round(advances(text, from, count, null, 0)), (int) Math.ceil(descent()));
    }

    @Implementation
    protected void getTextBounds(String text, int start, int end, Rect bounds) {
        getTextBounds(text.toCharArray(), start, end - start, bounds);
    }
}
