package dev.agentdevice.session;

import static org.junit.Assert.assertArrayEquals;
import static org.junit.Assert.assertEquals;
import static org.junit.Assert.fail;

import org.junit.Test;

import java.util.Random;

public class Base64Test {
    @Test
    public void everyLengthComesBack() {
        Random random = new Random(1);
        for (int length = 0; length < 200; length++) {
            byte[] bytes = new byte[length];
            random.nextBytes(bytes);
            String text = Base64.encode(bytes);
            assertEquals(java.util.Base64.getEncoder().encodeToString(bytes), text);
            assertArrayEquals(bytes, Base64.decode(text));
            assertArrayEquals(bytes, Base64.decode(text.replace("=", "")));
        }
    }

    @Test
    public void aSliceIsEncodedAlone() {
        assertEquals("YmM=", Base64.encode(new byte[] {'a', 'b', 'c', 'd'}, 1, 2));
    }

    @Test
    public void damageIsRefused() {
        for (String bad : new String[] {"A", "AB=C", "AAAA=", "AAA==", "AA A", "AA\nA", "AA-_", "ÄÄÄÄ", "=", "A==="}) {
            try {
                Base64.decode(bad);
                fail(bad);
            } catch (IllegalArgumentException expected) {
                // Wanted.
            }
        }
    }

    @Test
    public void textThatIsNoUtf8IsRefused() {
        assertEquals("ß🎉", Base64.decodeText(Base64.encode("ß🎉".getBytes(java.nio.charset.StandardCharsets.UTF_8))));
        try {
            Base64.decodeText(Base64.encode(new byte[] {(byte) 0xc3, 0x28}));
            fail();
        } catch (IllegalArgumentException expected) {
            assertEquals("payload is not UTF-8", expected.getMessage());
        }
    }
}
