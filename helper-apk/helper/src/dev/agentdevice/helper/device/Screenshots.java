package dev.agentdevice.helper.device;

import android.graphics.Bitmap;

import dev.agentdevice.helper.capture.Picture;
import dev.agentdevice.session.Reply;

import java.io.ByteArrayOutputStream;

/** Takes pictures of the whole screen. */
public final class Screenshots {
    private final Automation automation;

    public Screenshots(Automation automation) {
        this.automation = automation;
    }

    public void take(Picture picture, Reply reply) throws Exception {
        Bitmap bitmap = automation.get(8000).takeScreenshot();
        if (bitmap == null) {
            throw new IllegalStateException("the platform gave no screenshot");
        }
        try {
            if (picture.part != null) {
                reply.put("kind", "screenshot").put("blank", blank(bitmap, picture.part));
                return;
            }
            int jpegQuality = picture.jpegQuality;
            Buffer out = new Buffer();
            boolean jpeg = jpegQuality > 0;
            if (!bitmap.compress(jpeg ? Bitmap.CompressFormat.JPEG : Bitmap.CompressFormat.PNG, jpegQuality, out)) {
                throw new IllegalStateException("the screenshot could not be compressed");
            }
            reply.put("kind", "screenshot").put("bodyFormat", jpeg ? "image/jpeg" : "image/png");
            reply.put("width", bitmap.getWidth()).put("height", bitmap.getHeight());
            reply.body(out.bytes(), out.size());
        } finally {
            bitmap.recycle();
        }
    }

    /** Whether a part of the picture has one colour throughout. Every fourth line tells: nothing that is drawn is so thin. */
    private static boolean blank(Bitmap bitmap, int[] part) {
        // A picture in the memory of the graphics can't be read in place.
        boolean hardware = String.valueOf(bitmap.getConfig()).equals("HARDWARE");
        Bitmap readable = hardware ? bitmap.copy(Bitmap.Config.ARGB_8888, false) : bitmap;
        if (readable == null) {
            throw new IllegalStateException("the screenshot could not be read");
        }
        try {
            int left = Math.min(part[0], readable.getWidth());
            int right = Math.min(part[2], readable.getWidth());
            int bottom = Math.min(part[3], readable.getHeight());
            int[] row = new int[Math.max(0, right - left)];
            if (row.length == 0 || part[1] >= bottom) {
                return true;
            }
            int first = readable.getPixel(left, part[1]);
            for (int y = part[1]; y < bottom; y += 4) {
                readable.getPixels(row, 0, row.length, left, y, row.length, 1);
                for (int pixel : row) {
                    if (pixel != first) {
                        return false;
                    }
                }
            }
            return true;
        } finally {
            if (readable != bitmap) {
                readable.recycle();
            }
        }
    }

    /** Gives its bytes away without a copy. */
    private static final class Buffer extends ByteArrayOutputStream {
        Buffer() {
            super(1 << 18);
        }

        byte[] bytes() {
            return buf;
        }
    }
}
