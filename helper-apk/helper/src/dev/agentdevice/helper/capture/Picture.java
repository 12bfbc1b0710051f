package dev.agentdevice.helper.capture;

import dev.agentdevice.session.Payload;

/** What is asked of a picture: {@code png}, {@code jpeg:QUALITY}, or whether a part of it is {@code blank:LEFT,TOP,RIGHT,BOTTOM}. */
public final class Picture {
    private static final int MAX_EDGE = 100000;

    /** 0 = PNG. */
    public final int jpegQuality;
    /** Left, top, right, bottom; null = the picture itself is wanted. */
    public final int[] part;

    private Picture(int jpegQuality, int[] part) {
        this.jpegQuality = jpegQuality;
        this.part = part;
    }

    public static Picture parse(String payload) {
        if (payload.isEmpty() || payload.equals("png")) {
            return new Picture(0, null);
        }
        if (payload.startsWith("jpeg:")) {
            return new Picture(Math.max(1, (int) Payload.wholeNumber(payload.substring(5), 100)), null);
        }
        String[] edges = payload.startsWith("blank:") ? payload.substring(6).split(",", -1) : new String[0];
        if (edges.length != 4) {
            throw new IllegalArgumentException("a screenshot is png, jpeg:<quality> or blank:<left>,<top>,<right>,<bottom>");
        }
        int[] part = new int[4];
        for (int i = 0; i < 4; i++) {
            part[i] = (int) Payload.wholeNumber(edges[i], MAX_EDGE);
        }
        return new Picture(0, part);
    }
}
