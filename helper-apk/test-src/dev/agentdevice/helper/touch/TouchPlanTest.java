package dev.agentdevice.helper.touch;

import static org.junit.Assert.assertEquals;
import static org.junit.Assert.fail;

import dev.agentdevice.session.Base64;
import dev.agentdevice.session.WireErrors;

import org.junit.Test;

import java.nio.charset.StandardCharsets;

public class TouchPlanTest {
    private static final String S0 = "{\"offsetMs\":0,\"x\":1,\"y\":2}";
    private static final String S1 = "{\"offsetMs\":16,\"x\":3.5,\"y\":4}";
    private static final String S2 = "{\"offsetMs\":32,\"x\":5,\"y\":6}";

    private static String pointer(int id, String... samples) {
        return "{\"pointerId\":" + id + ",\"samples\":[" + String.join(",", samples) + "]}";
    }

    private static String plan(String kind, String duration, String... pointers) {
        return "{\"protocol\":\"android-touch-plan-v1\",\"kind\":\"" + kind + "\",\"durationMs\":" + duration
                + ",\"pointers\":[" + String.join(",", pointers) + "]}";
    }

    private static void refused(String json, String message) {
        try {
            TouchPlan.fromJson(json);
            fail("accepted: " + json);
        } catch (IllegalArgumentException e) {
            assertEquals(message, e.getMessage());
        }
    }

    private static void accepted(String json) {
        TouchPlan.fromJson(json);
    }

    @Test
    public void aSwipeIsRead() {
        String json = plan("swipe", "32", pointer(0, S0, S1, S2));
        TouchPlan plan = TouchPlan.fromBase64(Base64.encode(json.getBytes(StandardCharsets.UTF_8)));
        assertEquals("swipe", plan.kind);
        assertEquals(32, plan.durationMs);
        assertEquals(1, plan.pointers());
        assertEquals(3, plan.samples());
        assertEquals(3.5f, plan.x(0, 1), 0);
        assertEquals(6f, plan.y(0, 2), 0);
    }

    @Test
    public void aPayloadMustBeThere() {
        for (String payload : new String[] {null, ""}) {
            try {
                TouchPlan.fromBase64(payload);
                fail();
            } catch (IllegalArgumentException e) {
                assertEquals("gesture payload is missing", e.getMessage());
            }
        }
    }

    @Test
    public void theProtocolMayBeAbsentButNotAnother() {
        accepted("{\"kind\":\"swipe\",\"durationMs\":32,\"pointers\":[" + pointer(0, S0, S1, S2) + "]}");
        refused(plan("swipe", "32", pointer(0, S0, S1, S2)).replace("plan-v1", "plan-v2"), "unsupported gesture protocol");
    }

    @Test
    public void theKindIsOneOfTwo() {
        refused(plan("tap", "32", pointer(0, S0, S1, S2)), "gesture kind must be swipe or transform");
        refused("{\"durationMs\":1}", "gesture kind must be swipe or transform");
    }

    @Test
    public void theDurationHasBounds() {
        accepted(plan("swipe", "120000", pointer(0, S0, "{\"offsetMs\":120000,\"x\":1,\"y\":2}")));
        refused(plan("swipe", "120001", pointer(0, S0, S1)), "durationMs must be between 0 and 120000");
        refused(plan("swipe", "-1", pointer(0, S0, S1)), "durationMs must be between 0 and 120000");
        refused(plan("swipe", "16.5", pointer(0, S0, S1)), "durationMs must be an integer");
        refused(plan("swipe", "\"16\"", pointer(0, S0, S1)), "durationMs must be a number");
        refused(plan("swipe", "null", pointer(0, S0, S1)), "durationMs must be a number");
    }

    @Test
    public void pointersAreCountedAndNumbered() {
        refused(plan("swipe", "32"), "a swipe needs 1 pointer(s), not 0");
        refused(plan("swipe", "32", pointer(0, S0, S1, S2), pointer(1, S0, S1, S2)), "a swipe needs 1 pointer(s), not 2");
        refused(plan("transform", "32", pointer(0, S0, S1, S2)), "a transform needs 2 pointer(s), not 1");
        refused(plan("swipe", "32", pointer(1, S0, S1, S2)), "pointers[0].pointerId must be 0");
        refused(plan("transform", "32", pointer(0, S0, S1, S2), pointer(0, S0, S1, S2)), "pointers[1].pointerId must be 1");
        accepted(plan("transform", "32", pointer(0, S0, S1, S2), pointer(1, S0, S1, S2)));
    }

    @Test
    public void samplesAreAtLeastTwoWithFiniteNumbers() {
        refused(plan("swipe", "0", pointer(0, S0)), "pointers[0] needs at least 2 samples");
        refused(plan("swipe", "16", pointer(0, S0, "{\"offsetMs\":16,\"x\":1}")), "pointers[0].samples[1].y must be a number");
        refused(plan("swipe", "16", pointer(0, S0, "{\"offsetMs\":16,\"x\":1e39,\"y\":1}")), "pointers[0].samples[1].x is not finite");
        refused(plan("swipe", "16", pointer(0, S0, "{\"offsetMs\":16,\"x\":1e999,\"y\":1}")), "pointers[0].samples[1].x is not finite");
        refused(plan("swipe", "16", pointer(0, S0, "{\"offsetMs\":15.5,\"x\":1,\"y\":1}")), "pointers[0].samples[1].offsetMs must be an integer");
        refused(plan("swipe", "16", pointer(0, S0, "{\"offsetMs\":1e999,\"x\":1,\"y\":1}")), "pointers[0].samples[1].offsetMs must be an integer");
    }

    @Test
    public void timeOnlyGoesForward() {
        refused(plan("swipe", "16", pointer(0, S0, S1, S1)), "pointers[0].samples[2].offsetMs must be after the one before it");
        refused(plan("swipe", "16", pointer(0, S0, S2, S1)), "pointers[0].samples[2].offsetMs must be after the one before it");
        refused(plan("swipe", "32", pointer(0, S1, S2)), "pointers[0] must begin at offset 0");
        refused(plan("swipe", "33", pointer(0, S0, S1, S2)), "pointers[0] must end at offset durationMs");
        refused(plan("swipe", "16", pointer(0, "{\"offsetMs\":-1,\"x\":1,\"y\":1}", S1)), "pointers[0] must begin at offset 0");
        accepted(plan("swipe", "0", pointer(0, S0, S0)));
    }

    @Test
    public void bothPointersMoveAtTheSameTimes() {
        refused(plan("transform", "32", pointer(0, S0, S1, S2), pointer(1, S0, S2)), "both pointers need the same offsets");
        refused(plan("transform", "32", pointer(0, S0, S1, S2), pointer(1, S0, "{\"offsetMs\":17,\"x\":1,\"y\":1}", S2)),
                "both pointers need the same offsets");
    }

    @Test
    public void textThatIsNoJsonIsNamedAsHostsKnowIt() {
        for (String bad : new String[] {"", "{", "[1,]", "{\"a\":1,}", "{'a':1}", "{\"a\":01}", "{\"a\":+1}", "{\"a\":.5}", "{\"a\":1.}",
            "{\"a\":NaN}", "{} x", "{\"a\":1 \"b\":2}", "\"\\x\"", "\"\\u12g4\"", "\"a\nb\"", "tru", "{\"a\":1,\"a\":2}",
            "[[[[[[[[[[[[[[[[[[[[1]]]]]]]]]]]]]]]]]]]]"}) {
            try {
                Json.parse(bad);
                fail("accepted: " + bad);
            } catch (IllegalArgumentException e) {
                assertEquals("org.json.JSONException", WireErrors.type(e));
            }
        }
    }

    @Test
    public void plansThatAreNoObjectsAreRefused() {
        refused("[]", "plan must be an object");
        refused("null", "plan must be an object");
        refused("{\"kind\":\"swipe\",\"durationMs\":0,\"pointers\":{}}", "pointers must be an array");
        refused(plan("swipe", "0", "3"), "pointers[0] must be an object");
        refused(plan("swipe", "0", "{\"pointerId\":0}"), "pointers[0].samples must be an array");
        refused(plan("swipe", "0", pointer(0, "1", "2")), "pointers[0].samples[0] must be an object");
    }

    @Test
    public void jsonIsReadAsItStands() {
        assertEquals("{a=[1.0, -2500.0, true, false], b=q\"\\/\b\f\n\r\t\u00e9}",
                Json.parse(" { \"a\" : [ 1 , -2.5e3 ,true,false ] , \"b\":\"q\\\"\\\\\\/\\b\\f\\n\\r\\t\\u00e9\" } ").toString());
    }
}
