package dev.agentdevice.helper.device;

import android.app.UiAutomation;
import android.content.Context;
import android.view.accessibility.AccessibilityNodeInfo;

import dev.agentdevice.helper.Arguments;
import dev.agentdevice.helper.capture.Budget;
import dev.agentdevice.helper.capture.CaptureStabilizer;
import dev.agentdevice.helper.capture.ScreenCapture;
import dev.agentdevice.helper.capture.XmlWriter;

import java.util.LinkedHashMap;
import java.util.Map;

/** Takes snapshots. */
public final class Snapshots {
    /** A finished capture. */
    public static final class Snapshot {
        public final XmlWriter xml;
        public final Map<String, String> facts = new LinkedHashMap<String, String>();

        Snapshot(XmlWriter xml) {
            this.xml = xml;
        }
    }

    private final Automation automation;
    private final Context context;

    public Snapshots(Automation automation, Context context) {
        this.automation = automation;
        this.context = context;
    }

    public Snapshot take(final Arguments.CaptureOptions options) throws Exception {
        UptimeClock clock = UptimeClock.INSTANCE;
        long start = clock.nowMs();
        final UiAutomation connection = automation.get(options.timeoutMs);
        boolean idle = true;
        if (options.waitForIdleTimeoutMs > 0) {
            idle = Automation.waitForIdle(connection, options.effectiveQuietMs(), options.waitForIdleTimeoutMs);
        }
        long walk = clock.nowMs();
        DisplayFacts before = DisplayFacts.read(context);
        ScreenCapture.Result result = CaptureStabilizer.capture(new CaptureStabilizer.Attempt() {
            @Override
            public ScreenCapture.Result capture() {
                Automation.dropNodeCache(connection);
                AccessibilityWindows windows = new AccessibilityWindows(connection);
                Budget budget = new Budget(options.maxNodes, options.maxDepth, options.walkTimeoutMs, UptimeClock.INSTANCE);
                try {
                    return new ScreenCapture<AccessibilityNodeInfo>(windows, new AccessibilityNodes()).capture(budget);
                } finally {
                    windows.recycle();
                }
            }
        }, clock);
        DisplayFacts after = DisplayFacts.read(context);
        result.xml.end(after == null ? 0 : after.rotation);

        Snapshot snapshot = new Snapshot(result.xml);
        Map<String, String> facts = snapshot.facts;
        facts.putAll(options.echo());
        facts.put("rootPresent", Boolean.toString(result.rootPresent()));
        facts.put("captureMode", result.captureMode);
        facts.put("windowCount", Integer.toString(result.windowCount));
        facts.put("nodeCount", Integer.toString(result.budget.nodes()));
        facts.put("truncated", Boolean.toString(result.budget.truncated()));
        if (result.budget.truncated()) {
            facts.put("truncatedBy", result.budget.truncatedBy());
        }
        facts.put("missingRootWindowTypes", result.missingRootWindowTypes());
        facts.put("inputMethod", InputMethods.chosen(context));
        // A turn of the screen in between would pair the rectangles of one rotation with the size of the other.
        if (DisplayFacts.agree(before, after)) {
            facts.put("displayWidth", Integer.toString(after.width));
            facts.put("displayHeight", Integer.toString(after.height));
            facts.put("pixelDensity", Float.toString(after.density));
            facts.put("rotation", Integer.toString(after.rotation));
        } else {
            facts.put("displayChanged", "true");
        }
        long end = clock.nowMs();
        facts.put("idle", Boolean.toString(idle));
        facts.put("walkMs", Long.toString(end - walk));
        facts.put("elapsedMs", Long.toString(end - start));
        return snapshot;
    }
}
