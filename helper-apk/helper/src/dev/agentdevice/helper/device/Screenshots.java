package dev.agentdevice.helper.device;

import android.graphics.Bitmap;

import dev.agentdevice.session.Reply;

import java.io.ByteArrayOutputStream;

/** Takes pictures of the whole screen. */
public final class Screenshots {
    private final Automation automation;

    public Screenshots(Automation automation) {
        this.automation = automation;
    }

    /** @param jpegQuality 0 = PNG. */
    public void take(int jpegQuality, Reply reply) throws Exception {
        Bitmap bitmap = automation.get(8000).takeScreenshot();
        if (bitmap == null) {
            throw new IllegalStateException("the platform gave no screenshot");
        }
        try {
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
