package dev.agentdevice.helper;

import android.app.Instrumentation;
import android.content.Context;
import android.os.Bundle;

import dev.agentdevice.helper.capture.XmlWriter;
import dev.agentdevice.helper.device.ApiLevel;
import dev.agentdevice.helper.device.Automation;
import dev.agentdevice.helper.device.Snapshots;
import dev.agentdevice.helper.device.Touches;
import dev.agentdevice.helper.device.Viewports;
import dev.agentdevice.helper.touch.TouchPlan;
import dev.agentdevice.platform.Clipboard;
import dev.agentdevice.platform.LocalEndpoint;
import dev.agentdevice.session.Base64;
import dev.agentdevice.session.Clock;
import dev.agentdevice.session.Endpoint;
import dev.agentdevice.session.Failure;
import dev.agentdevice.session.Reply;
import dev.agentdevice.session.SessionServer;
import dev.agentdevice.session.TcpEndpoint;

import java.io.File;
import java.io.FileOutputStream;
import java.io.IOException;
import java.io.OutputStream;
import java.util.Map;

/** The entry point: one run of {@code am instrument}, which is one answer or one session. */
public final class HelperInstrumentation extends Instrumentation {
    private Bundle given;
    private Clipboard clipboard;

    @Override
    public void onCreate(Bundle arguments) {
        super.onCreate(arguments);
        given = arguments == null ? new Bundle() : arguments;
        clipboard = new Clipboard(getContext(), ApiLevel.CLIPBOARD_GUARDED);
        start();
    }

    @Override
    public void onStart() {
        super.onStart();
        Reply result = new Reply().putAll(Protocol.baseHeaders());
        boolean ok;
        try {
            Arguments arguments = Arguments.read(new Arguments.Source() {
                @Override
                public String get(String key) {
                    // Not getString: a value that am made a number of would be lost.
                    Object value = given.get(key);
                    return value == null ? null : value.toString();
                }
            });
            result.putList("clampedArguments", arguments.clamped);
            run(arguments, result);
            result.put("ok", true);
            ok = true;
        } catch (Throwable e) {
            // What could have touched the screen says so itself.
            result.error(e, false);
            ok = false;
        }
        SafeFinish.finish(this, ok ? 0 : 1, bundle(result));
    }

    private void run(Arguments arguments, Reply result) throws Exception {
        Automation automation = new Automation(this);
        Context context = getContext();
        if (arguments.session()) {
            serve(arguments, automation, context, result);
        } else if (arguments.mode.equals(Arguments.MODE_SNAPSHOT)) {
            snapshot(arguments, new Snapshots(automation, context), result);
        } else if (arguments.mode.equals(Arguments.MODE_VIEWPORT)) {
            result.putAll(new Viewports(automation, context).read(-1));
        } else if (arguments.mode.equals(Arguments.MODE_GESTURE)) {
            TouchPlan plan = TouchPlan.fromBase64(arguments.payloadBase64);
            result.putAll(new Touches(automation).play(plan));
        } else {
            throw new IllegalArgumentException("Unsupported mode: " + arguments.mode);
        }
    }

    private void snapshot(Arguments arguments, Snapshots snapshots, Reply result) throws Exception {
        result.putAll(arguments.capture.echo());
        Snapshots.Snapshot snapshot;
        try {
            snapshot = snapshots.take(arguments.capture);
        } catch (Exception e) {
            throw Failure.beforeStart(e);
        }
        if (!arguments.outputPath.isEmpty()) {
            save(new File(arguments.outputPath), snapshot.xml);
        }
        if (arguments.emitChunks) {
            sendChunks(snapshot.xml);
        }
        result.putAll(snapshot.facts);
    }

    private static void save(File file, XmlWriter xml) throws IOException {
        File parent = file.getParentFile();
        if (parent != null && !parent.isDirectory() && !parent.mkdirs()) {
            throw new IOException("the folder of outputPath can't be made");
        }
        OutputStream out = new FileOutputStream(file);
        try {
            out.write(xml.bytes(), 0, xml.length());
        } finally {
            out.close();
        }
    }

    private void sendChunks(XmlWriter xml) {
        int count = (xml.length() + Protocol.CHUNK_BYTES - 1) / Protocol.CHUNK_BYTES;
        for (int i = 0; i < count; i++) {
            int from = i * Protocol.CHUNK_BYTES;
            int length = Math.min(Protocol.CHUNK_BYTES, xml.length() - from);
            Reply chunk = new Reply().putAll(Protocol.baseHeaders());
            chunk.put("chunkIndex", i).put("chunkCount", count);
            chunk.put("payloadBase64", Base64.encode(xml.bytes(), from, length));
            sendStatus(Protocol.STATUS_CHUNK, bundle(chunk));
        }
    }

    private void serve(Arguments arguments, Automation automation, Context context, Reply result) throws Exception {
        SessionCommands commands = new SessionCommands(arguments, automation, context, clipboard);
        automation.get(arguments.capture.timeoutMs);
        Endpoint endpoint = arguments.sessionPort > 0
                ? new TcpEndpoint(arguments.sessionPort) : new LocalEndpoint(arguments.sessionSocket);
        SessionServer.Limits limits = new SessionServer.Limits();
        limits.idleTimeoutMs = arguments.sessionIdleTimeoutMs;
        SessionServer server = new SessionServer(endpoint, arguments.sessionToken, commands.commands(), limits, Clock.SYSTEM);
        commands.serving(server);

        Reply ready = new Reply().putAll(Protocol.baseHeaders()).put("sessionReady", true);
        if (arguments.sessionPort > 0) {
            ready.put("sessionPort", arguments.sessionPort);
        } else {
            ready.put("sessionSocket", arguments.sessionSocket);
        }
        ready.put("sessionAccess", server.access());
        sendStatus(Protocol.STATUS_SESSION_READY, bundle(ready));

        SessionServer.End end = server.serve();
        result.put("sessionEnded", true).put("sessionEndReason", end.word);
    }

    /** Values stay on one line: readers of the records split at line ends. */
    private static Bundle bundle(Reply reply) {
        Bundle bundle = new Bundle();
        for (Map.Entry<String, String> header : reply.headers().entrySet()) {
            bundle.putString(header.getKey(), Reply.oneLine(header.getValue()));
        }
        return bundle;
    }
}
