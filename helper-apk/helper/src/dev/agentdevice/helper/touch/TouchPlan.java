package dev.agentdevice.helper.touch;

import dev.agentdevice.session.Base64;

import java.util.List;
import java.util.Map;

/**
 * A gesture as the host planned it: for one or two pointers, where each is at which time. Reading it is validating it; every
 * failure is an IllegalArgumentException before anything is injected. Whether the points are on the screen is the host's
 * affair, who knows the screen.
 */
public final class TouchPlan {
    public static final String PROTOCOL = "android-touch-plan-v1";
    public static final String SWIPE = "swipe";
    public static final String TRANSFORM = "transform";
    private static final int MAX_DURATION_MS = 120000;

    public final String kind;
    public final int durationMs;
    /** One per sample, the same for all pointers. */
    final long[] offsetsMs;
    /** By pointer and sample. */
    final float[][] x;
    final float[][] y;

    private TouchPlan(String kind, int durationMs, long[] offsetsMs, float[][] x, float[][] y) {
        this.kind = kind;
        this.durationMs = durationMs;
        this.offsetsMs = offsetsMs;
        this.x = x;
        this.y = y;
    }

    /** A press that stays for a time. */
    public static TouchPlan press(float x, float y, int holdMs) {
        return new TouchPlan("tap", holdMs, new long[] {0, holdMs}, new float[][] {{x, x}}, new float[][] {{y, y}});
    }

    public int pointers() {
        return x.length;
    }

    int samples() {
        return offsetsMs.length;
    }

    public float x(int pointer, int sample) {
        return x[pointer][sample];
    }

    public float y(int pointer, int sample) {
        return y[pointer][sample];
    }

    public static TouchPlan fromBase64(String payload) {
        if (payload == null || payload.isEmpty()) {
            throw new IllegalArgumentException("gesture payload is missing");
        }
        return fromJson(Base64.decodeText(payload));
    }

    public static TouchPlan fromJson(String json) {
        Map<?, ?> plan = object(Json.parse(json), "plan");
        Object protocol = plan.get("protocol");
        if (protocol != null && !PROTOCOL.equals(protocol)) {
            throw new IllegalArgumentException("unsupported gesture protocol");
        }
        Object kind = plan.get("kind");
        boolean swipe = SWIPE.equals(kind);
        if (!swipe && !TRANSFORM.equals(kind)) {
            throw new IllegalArgumentException("gesture kind must be swipe or transform");
        }
        long duration = integer(plan.get("durationMs"), "durationMs");
        if (duration < 0 || duration > MAX_DURATION_MS) {
            throw new IllegalArgumentException("durationMs must be between 0 and " + MAX_DURATION_MS);
        }
        List<?> pointers = array(plan.get("pointers"), "pointers");
        int count = swipe ? 1 : 2;
        if (pointers.size() != count) {
            throw new IllegalArgumentException("a " + kind + " needs " + count + " pointer(s), not " + pointers.size());
        }
        long[] offsets = null;
        float[][] x = new float[count][];
        float[][] y = new float[count][];
        for (int i = 0; i < count; i++) {
            String name = "pointers[" + i + "]";
            Map<?, ?> pointer = object(pointers.get(i), name);
            if (integer(pointer.get("pointerId"), name + ".pointerId") != i) {
                throw new IllegalArgumentException(name + ".pointerId must be " + i);
            }
            List<?> samples = array(pointer.get("samples"), name + ".samples");
            long[] own = offsets(samples, name, duration);
            if (offsets != null && !java.util.Arrays.equals(offsets, own)) {
                throw new IllegalArgumentException("both pointers need the same offsets");
            }
            offsets = own;
            x[i] = coordinates(samples, name, "x");
            y[i] = coordinates(samples, name, "y");
        }
        return new TouchPlan((String) kind, (int) duration, offsets, x, y);
    }

    private static long[] offsets(List<?> samples, String name, long duration) {
        int count = samples.size();
        if (count < 2) {
            throw new IllegalArgumentException(name + " needs at least 2 samples");
        }
        long[] offsets = new long[count];
        for (int i = 0; i < count; i++) {
            String at = name + ".samples[" + i + "]";
            offsets[i] = integer(object(samples.get(i), at).get("offsetMs"), at + ".offsetMs");
            if (i > 0 && (offsets[i] < offsets[i - 1] || duration > 0 && offsets[i] == offsets[i - 1])) {
                throw new IllegalArgumentException(at + ".offsetMs must be after the one before it");
            }
        }
        if (offsets[0] != 0) {
            throw new IllegalArgumentException(name + " must begin at offset 0");
        }
        if (offsets[count - 1] != duration) {
            throw new IllegalArgumentException(name + " must end at offset durationMs");
        }
        return offsets;
    }

    private static float[] coordinates(List<?> samples, String name, String axis) {
        float[] out = new float[samples.size()];
        for (int i = 0; i < out.length; i++) {
            String at = name + ".samples[" + i + "]";
            double value = number(object(samples.get(i), at).get(axis), at + "." + axis);
            out[i] = (float) value;
            if (Float.isInfinite(out[i]) || Float.isNaN(out[i])) {
                throw new IllegalArgumentException(at + "." + axis + " is not finite");
            }
        }
        return out;
    }

    private static Map<?, ?> object(Object value, String name) {
        if (!(value instanceof Map)) {
            throw new IllegalArgumentException(name + " must be an object");
        }
        return (Map<?, ?>) value;
    }

    private static List<?> array(Object value, String name) {
        if (!(value instanceof List)) {
            throw new IllegalArgumentException(name + " must be an array");
        }
        return (List<?>) value;
    }

    private static double number(Object value, String name) {
        if (!(value instanceof Double)) {
            throw new IllegalArgumentException(name + " must be a number");
        }
        return (Double) value;
    }

    private static long integer(Object value, String name) {
        double number = number(value, name);
        // Beyond this no plan has a use for it, and neither double nor int holds it.
        if (number != Math.rint(number) || Math.abs(number) > Integer.MAX_VALUE) {
            throw new IllegalArgumentException(name + " must be an integer");
        }
        return (long) number;
    }
}
