package testbed.device.shadow;

import java.io.IOException;
import java.io.InputStream;
import java.nio.ByteBuffer;
import java.nio.ByteOrder;

/** Advances and heights of Android's own font, read from its file: what text needs to have a size without a renderer. */
final class RobotoMetrics {
    private static final String FILE = "fonts/Roboto-Regular.ttf";
    private static final RobotoMetrics ROBOTO = load();

    private final ByteBuffer bytes;
    private final int cmap;
    private final int hmtx;
    private final int longAdvances;
    private final float unitsPerEm;
    /** In ems, downwards from the baseline as Paint has them. */
    final float ascent;
    final float descent;
    final float top;
    final float bottom;

    private RobotoMetrics(byte[] file) {
        bytes = ByteBuffer.wrap(file).order(ByteOrder.BIG_ENDIAN);
        int head = table("head");
        int hhea = table("hhea");
        unitsPerEm = bytes.getShort(head + 18);
        bottom = -bytes.getShort(head + 38) / unitsPerEm;
        top = -bytes.getShort(head + 42) / unitsPerEm;
        ascent = -bytes.getShort(hhea + 4) / unitsPerEm;
        descent = -bytes.getShort(hhea + 6) / unitsPerEm;
        longAdvances = bytes.getShort(hhea + 34) & 0xffff;
        hmtx = table("hmtx");
        cmap = segments(table("cmap"));
    }

    static RobotoMetrics get() {
        return ROBOTO;
    }

    private static RobotoMetrics load() {
        try (InputStream in = RobotoMetrics.class.getClassLoader().getResourceAsStream(FILE)) {
            return new RobotoMetrics(in.readAllBytes());
        } catch (IOException e) {
            throw new IllegalStateException(e);
        }
    }

    private int table(String tag) {
        int count = bytes.getShort(4);
        for (int at = 12; at < 12 + count * 16; at += 16) {
            boolean same = true;
            for (int i = 0; i < 4; i++) same &= bytes.get(at + i) == tag.charAt(i);
            if (same) return bytes.getInt(at + 8);
        }
        throw new IllegalStateException("no table " + tag);
    }

    /** The subtable that maps the basic plane in segments (format 4). */
    private int segments(int table) {
        int count = bytes.getShort(table + 2);
        for (int i = 0; i < count; i++) {
            int at = table + bytes.getInt(table + 4 + i * 8 + 4);
            if (bytes.getShort(at) == 4) return at;
        }
        throw new IllegalStateException("no segment map");
    }

    private int glyph(char c) {
        int twice = bytes.getShort(cmap + 6) & 0xffff;
        int ends = cmap + 14;
        int starts = ends + twice + 2;
        for (int i = 0; i < twice; i += 2) {
            if ((bytes.getShort(ends + i) & 0xffff) < c) continue;
            int start = bytes.getShort(starts + i) & 0xffff;
            if (start > c) return 0;
            int delta = bytes.getShort(starts + twice + i);
            int rangeAt = starts + 2 * twice + i;
            int range = bytes.getShort(rangeAt) & 0xffff;
            if (range == 0) return c + delta & 0xffff;
            int glyph = bytes.getShort(rangeAt + range + (c - start) * 2) & 0xffff;
            return glyph == 0 ? 0 : glyph + delta & 0xffff;
        }
        return 0;
    }

    /** In ems. What the font lacks is as wide as an em, like most of what other fonts have. */
    float advance(char c) {
        if (Character.isLowSurrogate(c)) return 0;
        int glyph = glyph(c);
        if (glyph == 0) return 1;
        return (bytes.getShort(hmtx + 4 * Math.min(glyph, longAdvances - 1)) & 0xffff) / unitsPerEm;
    }
}
