package dev.agentdevice.session;

import static org.junit.Assert.assertEquals;
import static org.junit.Assert.assertNull;
import static org.junit.Assert.fail;

import org.junit.Test;

import java.util.Arrays;
import java.util.Collections;

public class PayloadTest {
    private static final Payload<Long> NUMBER = Payload.number(-1, 60000);

    private static void refused(Payload<?> payload, String text) throws Exception {
        try {
            fail(text + " was read as " + payload.read(text));
        } catch (IllegalArgumentException e) {
            // As it should be.
        }
    }

    @Test
    public void aNumberMayBeLeftOutButNotBeWrong() throws Exception {
        assertEquals(Long.valueOf(-1), NUMBER.read(""));
        assertEquals(Long.valueOf(0), NUMBER.read("0"));
        assertEquals(Long.valueOf(60000), NUMBER.read("60000"));
        for (String text : new String[] {"60001", "-1", "+1", "1.5", " 1", "x", "99999999999999999999"}) {
            refused(NUMBER, text);
        }
    }

    @Test
    public void textIsBase64OfUtf8() throws Exception {
        assertEquals("a \u00e9", Payload.TEXT.read("YSDDqQ=="));
        refused(Payload.TEXT, "not base64");
        refused(Payload.TEXT, "/w==");
    }

    @Test
    public void whatNeedsNoneLooksAtNone() throws Exception {
        assertNull(Payload.NONE.read("anything"));
    }

    @Test
    public void aListWithoutWordsIsNoHeader() {
        Reply reply = new Reply().putList("none", Collections.<String>emptyList()).putList("two", Arrays.asList("a", "b"));
        assertEquals(Collections.singletonMap("two", "a,b"), reply.headers());
    }
}
