package dev.agentdevice.session;

import java.nio.ByteBuffer;
import java.nio.charset.CharacterCodingException;
import java.nio.charset.CodingErrorAction;
import java.nio.charset.StandardCharsets;

/**
 * Base64 with the default alphabet, without line breaks. java.util.Base64 needs API 26 and android.util.Base64 skips characters
 * that it does not know, so that a damaged payload would pass.
 */
public final class Base64 {
    private static final char[] ALPHABET =
            "ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789+/".toCharArray();
    private static final byte[] VALUES = values();

    private Base64() {
    }

    private static byte[] values() {
        byte[] values = new byte[128];
        java.util.Arrays.fill(values, (byte) -1);
        for (int i = 0; i < ALPHABET.length; i++) {
            values[ALPHABET[i]] = (byte) i;
        }
        return values;
    }

    public static String encode(byte[] bytes) {
        return encode(bytes, 0, bytes.length);
    }

    public static String encode(byte[] bytes, int from, int length) {
        StringBuilder out = new StringBuilder((length + 2) / 3 * 4);
        int end = from + length;
        for (int i = from; i < end; i += 3) {
            int left = end - i;
            int group = (bytes[i] & 0xff) << 16;
            if (left > 1) {
                group |= (bytes[i + 1] & 0xff) << 8;
            }
            if (left > 2) {
                group |= bytes[i + 2] & 0xff;
            }
            out.append(ALPHABET[group >> 18]);
            out.append(ALPHABET[group >> 12 & 63]);
            out.append(left > 1 ? ALPHABET[group >> 6 & 63] : '=');
            out.append(left > 2 ? ALPHABET[group & 63] : '=');
        }
        return out.toString();
    }

    /** Padding may be missing; anything else that is not in the alphabet is refused. */
    public static byte[] decode(String text) {
        int length = text.length();
        int padding = 0;
        while (padding < 2 && length > 0 && text.charAt(length - 1) == '=') {
            length--;
            padding++;
        }
        int tail = length % 4;
        if (tail == 1 || padding > 0 && (length + padding) % 4 != 0) {
            throw new IllegalArgumentException("base64 of impossible length");
        }
        byte[] out = new byte[length / 4 * 3 + (tail == 0 ? 0 : tail - 1)];
        int at = 0;
        int group = 0;
        for (int i = 0; i < length; i++) {
            char c = text.charAt(i);
            int value = c < 128 ? VALUES[c] : -1;
            if (value < 0) {
                throw new IllegalArgumentException("illegal base64 character at " + i);
            }
            group = group << 6 | value;
            if (i % 4 == 3) {
                out[at++] = (byte) (group >> 16);
                out[at++] = (byte) (group >> 8);
                out[at++] = (byte) group;
                group = 0;
            }
        }
        if (tail == 2) {
            out[at] = (byte) (group >> 4);
        } else if (tail == 3) {
            out[at++] = (byte) (group >> 10);
            out[at] = (byte) (group >> 2);
        }
        return out;
    }

    /** Decodes text; bytes that are not UTF-8 are refused rather than replaced. */
    public static String decodeText(String text) {
        byte[] bytes = decode(text);
        try {
            return StandardCharsets.UTF_8.newDecoder()
                    .onMalformedInput(CodingErrorAction.REPORT)
                    .onUnmappableCharacter(CodingErrorAction.REPORT)
                    .decode(ByteBuffer.wrap(bytes))
                    .toString();
        } catch (CharacterCodingException e) {
            throw new IllegalArgumentException("payload is not UTF-8");
        }
    }
}
