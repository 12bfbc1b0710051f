package dev.agentdevice.helper;

import android.os.Build;
import android.os.Process;

import dev.agentdevice.helper.device.Automation;
import dev.agentdevice.helper.device.Clipboard;
import dev.agentdevice.helper.device.Screenshots;
import dev.agentdevice.helper.device.Snapshots;
import dev.agentdevice.helper.device.TextFields;
import dev.agentdevice.helper.device.Touches;
import dev.agentdevice.helper.device.Viewports;
import dev.agentdevice.helper.touch.Taps;
import dev.agentdevice.helper.touch.TouchPlan;
import dev.agentdevice.session.Base64;
import dev.agentdevice.session.Commands;
import dev.agentdevice.session.Commands.Command;
import dev.agentdevice.session.Commands.Work;
import dev.agentdevice.session.Failure;
import dev.agentdevice.session.Reply;
import dev.agentdevice.session.SessionServer;

import java.nio.charset.StandardCharsets;
import java.util.ArrayList;
import java.util.List;

/** What the helper's session can do. The first three are what every host knows, the others are listed by {@code ping}. */
final class SessionCommands {
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

    SessionCommands(Arguments arguments, String version, Automation automation, Snapshots snapshots, Viewports viewports,
            Touches touches, TextFields fields, Clipboard clipboard, Screenshots screenshots) {
        this.arguments = arguments;
        this.version = version;
        this.automation = automation;
        this.snapshots = snapshots;
        this.viewports = viewports;
        this.touches = touches;
        this.fields = fields;
        this.clipboard = clipboard;
        this.screenshots = screenshots;
        addCompatible();
        addExtensions();
    }

    Commands commands() {
        return commands;
    }

    void serving(SessionServer server) {
        this.server = server;
    }

    /** A failure may come from a connection that was lost; the next command then makes a new one. */
    private abstract class DeviceWork implements Work {
        @Override
        public final void run(Reply reply) throws Exception {
            try {
                act(reply);
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

        abstract void act(Reply reply) throws Exception;
    }

    private void addCompatible() {
        commands.add("snapshot", new Command(false) {
            @Override
            protected Work read(String payload) {
                final List<String> clamped = new ArrayList<String>();
                final Arguments.CaptureOptions options = arguments.capture.with(payload, clamped);
                return new DeviceWork() {
                    @Override
                    void act(Reply reply) throws Exception {
                        Snapshots.Snapshot snapshot = snapshots.take(options);
                        reply.putAll(snapshot.facts);
                        if (!clamped.isEmpty()) {
                            reply.put("clampedArguments", join(clamped));
                        }
                        reply.body(snapshot.xml.bytes(), snapshot.xml.length());
                    }
                };
            }
        });
        commands.add("viewport", new Command(false) {
            @Override
            protected Work read(String payload) {
                final long idle = payload.isEmpty() ? -1 : number(payload, 60000);
                return new DeviceWork() {
                    @Override
                    void act(Reply reply) throws Exception {
                        reply.putAll(viewports.read(idle));
                    }
                };
            }
        });
        commands.add("gesture", new Command(true) {
            @Override
            protected Work read(String payload) {
                final TouchPlan plan = TouchPlan.fromBase64(payload);
                return new DeviceWork() {
                    @Override
                    void act(Reply reply) throws Exception {
                        reply.putAll(touches.play(plan));
                    }
                };
            }
        });
    }

    private void addExtensions() {
        commands.add("ping", new Command(false, true) {
            @Override
            protected Work read(String payload) {
                return new Work() {
                    @Override
                    public void run(Reply reply) {
                        ping(reply);
                    }
                };
            }
        });
        commands.add("tap", new Command(true) {
            @Override
            protected Work read(String payload) {
                final Taps taps = Taps.parse(payload);
                return new DeviceWork() {
                    @Override
                    void act(Reply reply) throws Exception {
                        reply.putAll(touches.tap(taps));
                    }
                };
            }
        });
        commands.add("key", new Command(true) {
            @Override
            protected Work read(String payload) {
                String[] parts = payload.split(",", -1);
                if (parts.length > 2) {
                    throw new IllegalArgumentException("a key is code[,meta]");
                }
                final int code = (int) number(parts[0], 10000);
                final int meta = parts.length == 2 ? (int) number(parts[1], Integer.MAX_VALUE) : 0;
                return new DeviceWork() {
                    @Override
                    void act(Reply reply) throws Exception {
                        reply.putAll(fields.key(code, meta));
                    }
                };
            }
        });
        commands.add("text", new Command(true) {
            @Override
            protected Work read(String payload) {
                final String text = Base64.decodeText(payload);
                return new DeviceWork() {
                    @Override
                    void act(Reply reply) throws Exception {
                        reply.putAll(fields.insert(text));
                    }
                };
            }
        });
        commands.add("settext", new Command(true) {
            @Override
            protected Work read(String payload) {
                final String text = Base64.decodeText(payload);
                return new DeviceWork() {
                    @Override
                    void act(Reply reply) throws Exception {
                        reply.putAll(fields.replace("settext", text));
                    }
                };
            }
        });
        commands.add("clear", new Command(true) {
            @Override
            protected Work read(String payload) {
                return new DeviceWork() {
                    @Override
                    void act(Reply reply) throws Exception {
                        reply.putAll(fields.replace("clear", ""));
                    }
                };
            }
        });
        commands.add("getclipboard", new Command(false) {
            @Override
            protected Work read(String payload) {
                return new Work() {
                    @Override
                    public void run(Reply reply) {
                        String text = clipboard.get();
                        reply.put("kind", "clipboard").put("present", text != null).put("bodyFormat", "text/plain");
                        byte[] bytes = (text == null ? "" : text).getBytes(StandardCharsets.UTF_8);
                        reply.body(bytes, bytes.length);
                    }
                };
            }
        });
        commands.add("setclipboard", new Command(true) {
            @Override
            protected Work read(String payload) {
                final String text = Base64.decodeText(payload);
                return new Work() {
                    @Override
                    public void run(Reply reply) {
                        clipboard.set(text);
                        reply.put("kind", "clipboard");
                    }
                };
            }
        });
        commands.add("screenshot", new Command(false) {
            @Override
            protected Work read(String payload) {
                final int quality;
                if (payload.isEmpty() || payload.equals("png")) {
                    quality = 0;
                } else if (payload.startsWith("jpeg:")) {
                    quality = Math.max(1, (int) number(payload.substring(5), 100));
                } else {
                    throw new IllegalArgumentException("a screenshot is png or jpeg:<quality>");
                }
                return new DeviceWork() {
                    @Override
                    void act(Reply reply) throws Exception {
                        screenshots.take(quality, reply);
                    }
                };
            }
        });
    }

    private void ping(Reply reply) {
        reply.put("kind", "ping");
        reply.put("capabilities", join(commands.names()) + ",quit,@token,@ttl,snapshot-options,started");
        reply.put("helperVersion", version);
        reply.put("sdk", Build.VERSION.SDK_INT);
        reply.put("pid", Process.myPid());
        reply.put("access", server.access());
        long busy = server.busyMs();
        reply.put("busy", busy >= 0);
        reply.put("busyMs", Math.max(0, busy));
        reply.putAll(arguments.capture.echo());
        reply.put("sessionIdleTimeoutMs", arguments.sessionIdleTimeoutMs);
        if (!arguments.clamped.isEmpty()) {
            reply.put("clampedArguments", join(arguments.clamped));
        }
    }

    static String join(Iterable<String> words) {
        StringBuilder out = new StringBuilder();
        for (String word : words) {
            out.append(out.length() == 0 ? "" : ",").append(word);
        }
        return out.toString();
    }

    private static long number(String text, long max) {
        if (text.matches("[0-9]{1,10}")) {
            long value = Long.parseLong(text);
            if (value <= max) {
                return value;
            }
        }
        throw new IllegalArgumentException("not a whole number up to " + max);
    }
}
