package dev.agentdevice.ime;

import static org.junit.Assert.assertEquals;
import static org.junit.Assert.assertFalse;
import static org.junit.Assert.assertTrue;
import static org.junit.Assert.fail;

import dev.agentdevice.ime.pure.Lease;
import dev.agentdevice.ime.pure.Order;
import dev.agentdevice.ime.pure.TextPieces;
import dev.agentdevice.session.Base64;

import org.junit.Test;

import java.nio.charset.StandardCharsets;
import java.util.Arrays;
import java.util.HashMap;
import java.util.Map;

public class ImePartsTest {
    private static final String LATIN = "com.example.latin/.LatinIME";

    @Test
    public void longTextIsCutBetweenCharacters() {
        assertEquals("[]", TextPieces.of("", 4).toString());
        assertEquals(Arrays.asList("abcd", "ef"), TextPieces.of("abcdef", 4));
        assertEquals(Arrays.asList("abc", "\ud83c\udf89d"), TextPieces.of("abc\ud83c\udf89d", 4));
        assertEquals(Arrays.asList("ab\ud83c\udf89", "d"), TextPieces.of("ab\ud83c\udf89d", 4));
        StringBuilder text = new StringBuilder();
        for (int i = 0; i < 50001; i++) {
            text.append("\ud83c\udf89");
        }
        StringBuilder again = new StringBuilder();
        for (String piece : TextPieces.of("x" + text, 8000)) {
            assertTrue(piece.length() <= 8000);
            assertFalse(Character.isLowSurrogate(piece.charAt(0)));
            again.append(piece);
        }
        assertEquals("x" + text, again.toString());
        assertEquals(Arrays.asList("\ud83c", "\udf89"), TextPieces.of("\ud83c\udf89", 1));
    }

    @Test
    public void aLeaseEndsWhenNobodyTalks() {
        Lease lease = Lease.of(LATIN, 1000, 5000);
        assertFalse(lease.ended(5999));
        assertEquals(1, lease.leftMs(5999));
        assertTrue(lease.ended(6000));
        assertFalse(lease.renewed(5900).ended(6800));
        assertTrue(lease.renewed(5900).ended(6900));
    }

    @Test
    public void aClockSetBackDoesNotProlongALease() {
        assertTrue(Lease.of(LATIN, 1000, 500000).ended(1000));
    }

    @Test
    public void aLeaseWithoutLengthNeverEnds() {
        Lease lease = Lease.of(LATIN, 0, 5000);
        assertTrue(lease.exists());
        assertFalse(lease.ended(Long.MAX_VALUE / 2));
        assertFalse(Lease.NONE.ended(Long.MAX_VALUE));
    }

    @Test
    public void aLeaseSurvivesAsText() {
        Lease again = Lease.fromText(Lease.of(LATIN, 1000, 5000).toText());
        assertEquals(LATIN, again.previous);
        assertEquals(1000, again.lengthMs);
        assertEquals(6000, again.endMs);
        for (String damaged : new String[] {null, "", "x", "a/b 1", "a/b x 1", "a b c d", "../etc 1 1", "a/b -1 5"}) {
            assertFalse(String.valueOf(damaged), Lease.fromText(damaged).exists());
        }
    }

    private static Order order(String action, String... extras) {
        final Map<String, String> values = new HashMap<String, String>();
        for (int i = 0; i < extras.length; i += 2) {
            values.put(extras[i], extras[i + 1]);
        }
        return Order.read(action, new Order.Extras() {
            @Override
            public String text(String name) {
                return values.get(name);
            }
        });
    }

    private static void refused(String message, String action, String... extras) {
        try {
            order(action, extras);
            fail();
        } catch (IllegalArgumentException e) {
            assertEquals(message, e.getMessage());
        }
    }

    private static String repeat(char c, int count) {
        char[] out = new char[count];
        Arrays.fill(out, c);
        return new String(out);
    }

    @Test
    public void ordersAreReadWithTheirText() {
        String text = "$ & %s 'q' \"d\" 🎉";
        assertEquals(text, order(Order.INPUT_TEXT_B64, "text", Base64.encode(text.getBytes(StandardCharsets.UTF_8))).text);
        assertEquals("plain", order(Order.INPUT_TEXT, "text", "plain", "protocol", "android-ime-helper-v1").text);
        assertEquals(null, order(Order.CLEAR_TEXT).text);
        Order lease = order(Order.LEASE, "previous", LATIN, "ms", "60000");
        assertEquals(60000, lease.leaseMs);
        assertEquals(LATIN, lease.previous);
    }

    @Test
    public void badOrdersAreRefusedWithAReason() {
        refused("unknown action", "dev.agentdevice.ime.ACTION_DANCE");
        refused("unknown action", null);
        refused("unsupported protocol", Order.CLEAR_TEXT, "protocol", "v2");
        refused("text is missing", Order.INPUT_TEXT);
        refused("illegal base64 character at 0", Order.INPUT_TEXT_B64, "text", "%%%%");
        refused("payload is not UTF-8", Order.INPUT_TEXT_B64, "text", "wyg=");
        refused("text longer than 64000 characters of base64; send it in parts", Order.INPUT_TEXT_B64, "text", repeat('A', 64004));
        refused("text longer than 32000 characters; send it in parts", Order.INPUT_TEXT, "text", repeat('A', 32001));
        refused("a session needs a port and a token of at least 16 characters", Order.SESSION, "port", "4000", "token", "short");
        refused("a session needs a port and a token of at least 16 characters", Order.SESSION, "port", "70000", "token", repeat('t', 16));
        refused("not a number", Order.LEASE, "previous", LATIN, "ms", "soon");
    }
}
