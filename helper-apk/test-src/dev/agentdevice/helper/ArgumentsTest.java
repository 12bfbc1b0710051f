package dev.agentdevice.helper;

import static org.junit.Assert.assertEquals;
import static org.junit.Assert.assertFalse;
import static org.junit.Assert.assertTrue;
import static org.junit.Assert.fail;

import org.junit.Test;

import java.util.ArrayList;
import java.util.Arrays;
import java.util.HashMap;
import java.util.List;
import java.util.Map;

public class ArgumentsTest {
    private static Arguments read(String... pairs) {
        final Map<String, String> values = new HashMap<String, String>();
        for (int i = 0; i < pairs.length; i += 2) {
            values.put(pairs[i], pairs[i + 1]);
        }
        return Arguments.read(new Arguments.Source() {
            @Override
            public String get(String key) {
                return values.get(key);
            }
        });
    }

    @Test
    public void defaultsAreThoseOfTheProtocol() {
        Arguments none = read();
        assertEquals("snapshot", none.mode);
        assertEquals(500, none.capture.waitForIdleTimeoutMs);
        assertEquals(100, none.capture.waitForIdleQuietMs);
        assertEquals(8000, none.capture.timeoutMs);
        assertEquals(128, none.capture.maxDepth);
        assertEquals(5000, none.capture.maxNodes);
        assertTrue(none.emitChunks);
        assertFalse(none.session());
        assertTrue(none.clamped.isEmpty());
    }

    @Test
    public void valuesAreTrimmedAndUnreadableOnesFallBack() {
        Arguments odd = read("maxDepth", " 7 ", "maxNodes", "", "timeoutMs", "soon", "emitChunks", " FALSE ", "mode", "  ");
        assertEquals(7, odd.capture.maxDepth);
        assertEquals(5000, odd.capture.maxNodes);
        assertEquals(8000, odd.capture.timeoutMs);
        assertFalse(odd.emitChunks);
        assertEquals("snapshot", odd.mode);
        assertFalse(read("emitChunks", "yes").emitChunks);
    }

    @Test
    public void numbersOutOfRangeAreClampedAndNamed() {
        Arguments odd = read("maxDepth", "-1", "maxNodes", "999999999999", "waitForIdleTimeoutMs", "3600000");
        assertEquals(0, odd.capture.maxDepth);
        assertEquals(100000, odd.capture.maxNodes);
        assertEquals(60000, odd.capture.waitForIdleTimeoutMs);
        assertEquals(Arrays.asList("waitForIdleTimeoutMs", "maxDepth", "maxNodes"), odd.clamped);
    }

    @Test
    public void theQuietTimeIsNeverLongerThanTheWait() {
        assertEquals(50, read("waitForIdleTimeoutMs", "50").capture.effectiveQuietMs());
        assertEquals(0, read("waitForIdleTimeoutMs", "0").capture.effectiveQuietMs());
    }

    @Test
    public void aSessionNeedsThePlainMode() {
        assertTrue(read("sessionPort", "4000").session());
        assertTrue(read("sessionSocket", "dev.agentdevice.helper").session());
        assertTrue(read("mode", "snapshot", "sessionPort", "4000").session());
        assertFalse(read("mode", "viewport", "sessionPort", "4000").session());
        assertFalse(read("sessionPort", "-4").session());
    }

    @Test
    public void impossiblePortsAreRefused() {
        for (String[] pairs : new String[][] {{"sessionPort", "65536"}, {"sessionPort", "4000", "sessionSocket", "x"}}) {
            try {
                read(pairs);
                fail();
            } catch (IllegalArgumentException expected) {
                assertTrue(expected.getMessage().contains("sessionPort"));
            }
        }
    }

    @Test
    public void oneRequestMayChangeTheOptionsForItself() {
        List<String> clamped = new ArrayList<String>();
        Arguments.CaptureOptions base = read("maxDepth", "9").capture;
        Arguments.CaptureOptions changed = base.with("waitForIdleTimeoutMs=0,maxNodes=-5", clamped);
        assertEquals(0, changed.waitForIdleTimeoutMs);
        assertEquals(0, changed.maxNodes);
        assertEquals(9, changed.maxDepth);
        assertEquals(Arrays.asList("maxNodes"), clamped);
        assertEquals(5000, base.maxNodes);
        for (String bad : new String[] {"maxNode=1", "maxNodes", "maxNodes=", "maxNodes=x", "=1", ",", "sessionPort=1"}) {
            try {
                base.with(bad, clamped);
                fail(bad);
            } catch (IllegalArgumentException expected) {
                assertTrue(expected.getMessage().contains("snapshot option"));
            }
        }
    }
}
