package dev.agentdevice.helper;

import java.util.LinkedHashMap;
import java.util.Map;

/** The words of the wire that hosts compare. */
public final class Protocol {
    public static final String NAME = "android-snapshot-helper-v1";
    public static final String API_VERSION = "2";
    public static final String OUTPUT_FORMAT = "uiautomator-xml";
    public static final int CHUNK_BYTES = 2048;
    public static final int STATUS_CHUNK = 1;
    public static final int STATUS_SESSION_READY = 2;

    private Protocol() {
    }

    public static Map<String, String> baseHeaders() {
        Map<String, String> headers = new LinkedHashMap<String, String>();
        headers.put("agentDeviceProtocol", NAME);
        headers.put("helperApiVersion", API_VERSION);
        headers.put("outputFormat", OUTPUT_FORMAT);
        return headers;
    }
}
