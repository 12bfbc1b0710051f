package dev.agentdevice.helper;

import android.content.Context;
import android.content.pm.PackageManager;
import android.os.Build;
import android.os.Process;

import dev.agentdevice.helper.capture.Picture;
import dev.agentdevice.helper.device.Automation;
import dev.agentdevice.helper.device.Screenshots;
import dev.agentdevice.helper.device.Snapshots;
import dev.agentdevice.helper.device.TextFields;
import dev.agentdevice.helper.device.Touches;
import dev.agentdevice.helper.device.Viewports;
import dev.agentdevice.helper.touch.Taps;
import dev.agentdevice.helper.touch.TouchPlan;
import dev.agentdevice.platform.Clipboard;
import dev.agentdevice.session.Commands;
import dev.agentdevice.session.Commands.Command;
import dev.agentdevice.session.Failure;
import dev.agentdevice.session.Payload;
import dev.agentdevice.session.Reply;
import dev.agentdevice.session.SessionServer;

import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;

/** What the helper's session can do. The first three are what every host knows, the others are listed by {@code ping}. */
final class SessionCommands {
    /** Abilities of the session that are no commands of the table. */
    private static final List<String> BEYOND = Arrays.asList("quit", "@token", "@ttl", "snapshot-options", "started", "tap-target",
            "screenshot-blank");

    private final Arguments arguments;
    private final String version;
    private final Automation automation;
    private final Snapshots snapshots;
    private final Viewports viewports;
    private final Touches touches;
    private final TextFields fields;
    private final Clipboard clipboard;
    private final Screenshots screenshots;
    private final Commands commands = new Commands(Protocol.baseHeaders());
    private SessionServer server;

    SessionCommands(Arguments arguments, Automation automation, Context context, Clipboard clipboard) {
        this.arguments = arguments;
        this.automation = automation;
        this.clipboard = clipboard;
        version = version(context);
        snapshots = new Snapshots(automation, context);
        viewports = new Viewports(automation, context);
        touches = new Touches(automation);
        fields = new TextFields(automation, context);
        screenshots = new Screenshots(automation);
        addCompatible();
        addExtensions();
    }

    private static String version(Context context) {
        try {
            return context.getPackageManager().getPackageInfo(context.getPackageName(), 0).versionName;
        } catch (PackageManager.NameNotFoundException e) {
            return "unknown";
        }
    }

    Commands commands() {
        return commands;
    }

    void serving(SessionServer server) {
        this.server = server;
    }

    /** A failure may come from a connection that was lost; the next command then makes a new one. */
    private abstract class OnDevice<T> implements Command<T> {
        @Override
        public final void run(T given, Reply reply) throws Exception {
            try {
                act(given, reply);
            } catch (Failure e) {
                lost(e.getCause());
                throw e;
            } catch (Exception e) {
                lost(e);
                throw e;
            }
        }

        private void lost(Throwable e) {
            if (e instanceof IllegalStateException) {
                automation.forget();
            }
        }

        abstract void act(T given, Reply reply) throws Exception;
    }

    /** The options of one capture, and which of them had to be clamped. */
    private static final class Capture {
        final List<String> clamped = new ArrayList<String>();
        final Arguments.CaptureOptions options;

        Capture(Arguments.CaptureOptions defaults, String changes) {
            options = defaults.with(changes, clamped);
        }
    }

    private void addCompatible() {
        commands.observe("snapshot", new Payload<Capture>() {
            @Override
            public Capture read(String payload) {
                return new Capture(arguments.capture, payload);
            }
        }, new OnDevice<Capture>() {
            @Override
            void act(Capture capture, Reply reply) throws Exception {
                Snapshots.Snapshot snapshot = snapshots.take(capture.options);
                reply.putAll(snapshot.facts).putList("clampedArguments", capture.clamped);
                reply.body(snapshot.xml.bytes(), snapshot.xml.length());
            }
        });
        commands.observe("viewport", Payload.number(-1, 60000), new OnDevice<Long>() {
            @Override
            void act(Long idleMs, Reply reply) throws Exception {
                reply.putAll(viewports.read(idleMs));
            }
        });
        commands.mutate("gesture", new Payload<TouchPlan>() {
            @Override
            public TouchPlan read(String payload) {
                return TouchPlan.fromBase64(payload);
            }
        }, new OnDevice<TouchPlan>() {
            @Override
            void act(TouchPlan plan, Reply reply) throws Exception {
                reply.putAll(touches.play(plan));
            }
        });
    }

    /** A key and its meta state. */
    private static final Payload<int[]> KEY = new Payload<int[]>() {
        @Override
        public int[] read(String payload) {
            String[] parts = payload.split(",", -1);
            if (parts.length > 2) {
                throw new IllegalArgumentException("a key is code[,meta]");
            }
            int code = (int) wholeNumber(parts[0], 10000);
            return new int[] {code, parts.length == 2 ? (int) wholeNumber(parts[1], Integer.MAX_VALUE) : 0};
        }
    };

    private static final Payload<Picture> PICTURE = new Payload<Picture>() {
        @Override
        public Picture read(String payload) {
            return Picture.parse(payload);
        }
    };

    private void addExtensions() {
        commands.answerAtOnce("ping", Payload.NONE, new Command<Void>() {
            @Override
            public void run(Void nothing, Reply reply) {
                ping(reply);
            }
        });
        commands.mutate("tap", new Payload<Taps>() {
            @Override
            public Taps read(String payload) {
                return Taps.parse(payload);
            }
        }, new OnDevice<Taps>() {
            @Override
            void act(Taps taps, Reply reply) throws Exception {
                reply.putAll(touches.tap(taps));
            }
        });
        commands.mutate("key", KEY, new OnDevice<int[]>() {
            @Override
            void act(int[] key, Reply reply) throws Exception {
                reply.putAll(fields.key(key[0], key[1]));
            }
        });
        commands.mutate("text", Payload.TEXT, new OnDevice<String>() {
            @Override
            void act(String text, Reply reply) throws Exception {
                reply.putAll(fields.insert(text));
            }
        });
        commands.mutate("settext", Payload.TEXT, new OnDevice<String>() {
            @Override
            void act(String text, Reply reply) throws Exception {
                reply.putAll(fields.replace("settext", text));
            }
        });
        commands.mutate("clear", Payload.NONE, new OnDevice<Void>() {
            @Override
            void act(Void nothing, Reply reply) throws Exception {
                reply.putAll(fields.replace("clear", ""));
            }
        });
        commands.observe("getclipboard", Payload.NONE, new Command<Void>() {
            @Override
            public void run(Void nothing, Reply reply) {
                clipboard.tell(reply);
            }
        });
        commands.mutate("setclipboard", Payload.TEXT, new Command<String>() {
            @Override
            public void run(String text, Reply reply) {
                clipboard.set(text, reply);
            }
        });
        commands.observe("screenshot", PICTURE, new OnDevice<Picture>() {
            @Override
            void act(Picture picture, Reply reply) throws Exception {
                screenshots.take(picture, reply);
            }
        });
    }

    private void ping(Reply reply) {
        List<String> capabilities = new ArrayList<String>(commands.names());
        capabilities.addAll(BEYOND);
        reply.put("kind", "ping");
        reply.putList("capabilities", capabilities);
        reply.put("helperVersion", version);
        reply.put("sdk", Build.VERSION.SDK_INT);
        reply.put("pid", Process.myPid());
        reply.put("access", server.access());
        long busy = server.busyMs();
        reply.put("busy", busy >= 0);
        reply.put("busyMs", Math.max(0, busy));
        reply.putAll(arguments.capture.echo());
        reply.put("sessionIdleTimeoutMs", arguments.sessionIdleTimeoutMs);
        reply.putList("clampedArguments", arguments.clamped);
    }
}
