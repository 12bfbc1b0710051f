package dev.agentdevice.helper;

import static org.junit.Assert.assertEquals;
import static org.junit.Assert.assertTrue;

import dev.agentdevice.helper.touch.Aim;
import dev.agentdevice.helper.touch.TouchPlan;
import dev.agentdevice.ime.pure.Order;
import dev.agentdevice.session.Base64;
import dev.agentdevice.session.NotBegunTimeoutException;
import dev.agentdevice.session.Reply;
import dev.agentdevice.session.Request;
import dev.agentdevice.session.WireErrors;

import org.junit.Before;
import org.junit.Test;

import java.io.FileInputStream;
import java.io.InputStream;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Paths;
import java.util.HashSet;
import java.util.Map;
import java.util.Properties;
import java.util.Set;

/** The words of wire.properties are those of this side. The host's tests read the same file. */
public class WireTest {
    private final Properties wire = new Properties();

    @Before
    public void read() throws Exception {
        InputStream in = new FileInputStream("wire.properties");
        try {
            wire.load(in);
        } finally {
            in.close();
        }
    }

    private String word(String name) {
        String value = wire.getProperty(name);
        assertTrue(name, value != null && !value.isEmpty());
        return value;
    }

    private Set<String> words(String prefix) {
        Set<String> out = new HashSet<String>();
        for (String name : wire.stringPropertyNames()) {
            if (name.startsWith(prefix)) {
                out.add(word(name));
            }
        }
        assertTrue(prefix, !out.isEmpty());
        return out;
    }

    private static String text(String file) throws Exception {
        return new String(Files.readAllBytes(Paths.get(file)), StandardCharsets.UTF_8);
    }

    @Test
    public void protocolsAndFormatsAreCalledAlike() {
        assertEquals(Protocol.NAME, word("protocol.helper"));
        assertEquals(Protocol.OUTPUT_FORMAT, word("format"));
        assertEquals(Order.PROTOCOL, word("protocol.ime"));
        String plan = "{\"protocol\":\"" + word("protocol.plan") + "\",\"kind\":\"swipe\",\"durationMs\":9,\"pointers\":[{\"pointerId\":0,"
                + "\"samples\":[{\"offsetMs\":0,\"x\":1,\"y\":1},{\"offsetMs\":9,\"x\":2,\"y\":2}]}]}";
        assertEquals("swipe", TouchPlan.fromBase64(Base64.encode(plan.getBytes(StandardCharsets.UTF_8))).kind);
    }

    @Test
    public void argumentsAreReadByTheirNames() {
        final Set<String> asked = new HashSet<String>();
        Arguments.read(new Arguments.Source() {
            @Override
            public String get(String key) {
                asked.add(key);
                return null;
            }
        });
        for (String argument : words("argument.")) {
            assertTrue(argument, asked.contains(argument));
        }
    }

    @Test
    public void requestsAndRepliesUseTheseWords() {
        Request request = Request.parse(word("request.token") + "secret " + word("request.ttl") + "7 ping p-1");
        assertEquals("secret", request.token);
        assertEquals(7, request.ttlMs);
        Map<String, String> headers = new Reply().putAll(Protocol.baseHeaders()).put("requestId", "r-1")
                .body(new byte[0], 0).error(new IllegalStateException("x"), true).headers();
        for (String header : words("header.")) {
            assertTrue(header, headers.containsKey(header));
        }
    }

    @Test
    public void failuresThatHostsTellApartEndInTheseNames() {
        assertTrue(NotBegunTimeoutException.class.getName().endsWith(word("error.not-begun")));
        assertEquals(word("error.target-changed"), WireErrors.type(new Aim.TargetChangedException("x")));
        assertEquals(word("error.ime-capture"), WireErrors.type(new ImeCaptureException("x")));
    }

    @Test
    public void appsAndTheirPartsHaveTheseNames() throws Exception {
        for (String app : new String[] {"helper", "ime"}) {
            String manifest = text(app + "/AndroidManifest.xml");
            assertTrue(manifest, manifest.contains("package=\"" + word("package." + app) + "\""));
            String part = app.equals("helper") ? word("runner.helper") : word("service.ime");
            assertTrue(part, part.startsWith(word("package." + app) + "/."));
            assertTrue(part, manifest.contains(part.substring(part.indexOf('/') + 1) + "\""));
        }
        String service = text("ime/src/dev/agentdevice/ime/TestInputMethodService.java");
        assertTrue(service.contains('"' + word("socket.ime") + '"'));
    }
}
