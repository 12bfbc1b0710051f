package dev.agentdevice.session;

import static org.junit.Assert.assertEquals;
import static org.junit.Assert.assertFalse;
import static org.junit.Assert.fail;

import org.junit.Test;

public class RequestTest {
    private static void reads(String line, String action, String id, String payload) {
        Request request = Request.parse(line);
        assertEquals(action, request.action);
        assertEquals(id, request.id);
        assertEquals(payload, request.payload);
    }

    @Test
    public void aLineHasUpToThreeParts() {
        reads("snapshot s-1", "snapshot", "s-1", "");
        reads("  gesture \t g-1   AAAA  \r", "gesture", "g-1", "AAAA");
        reads("x 1 a b  c", "x", "1", "a b  c");
        reads("quit", "quit", "", "");
        reads("", "", "", "");
    }

    @Test
    public void optionsStandBeforeTheAction() {
        Request request = Request.parse("@token=abc @ttl=250 tap t-1 1,2");
        assertEquals("abc", request.token);
        assertEquals(250, request.ttlMs);
        assertEquals("tap", request.action);
        assertEquals("1,2", request.payload);
        assertEquals(-1, Request.parse("tap t-1 @ttl=5").ttlMs);
    }

    @Test
    public void anUnknownOptionIsRefusedWithoutItsValue() {
        for (String line : new String[] {"@tokn=secret tap 1", "@ttl=-1 tap 1", "@ttl=x tap 1", "@ tap 1"}) {
            try {
                Request.parse(line);
                fail(line);
            } catch (IllegalArgumentException expected) {
                assertFalse(expected.getMessage().contains("secret"));
            }
        }
    }
}
