package dev.agentdevice.ime;

import android.content.ClipData;
import android.content.ClipboardManager;
import android.content.Context;
import android.os.Build;
import android.os.Process;
import android.view.inputmethod.EditorInfo;

import dev.agentdevice.ime.pure.Lease;
import dev.agentdevice.ime.pure.Order;
import dev.agentdevice.session.Base64;
import dev.agentdevice.session.Commands;
import dev.agentdevice.session.Commands.Command;
import dev.agentdevice.session.Commands.Work;
import dev.agentdevice.session.Reply;

import java.nio.charset.StandardCharsets;
import java.util.LinkedHashMap;
import java.util.Map;
import java.util.concurrent.Callable;

/** What the keyboard's session can do. The protocol is the helper's. */
final class ImeCommands {
    private final TestInputMethodService service;
    private final Editor editor;
    private final KeyboardLease lease;
    private final ClipboardManager clipboard;

    ImeCommands(TestInputMethodService service, Editor editor, KeyboardLease lease) {
        this.service = service;
        this.editor = editor;
        this.lease = lease;
        clipboard = (ClipboardManager) service.getSystemService(Context.CLIPBOARD_SERVICE);
    }

    /** Runs on the main thread and renews the lease. */
    private abstract class MainWork implements Work {
        @Override
        public final void run(final Reply reply) throws Exception {
            lease.renew();
            editor.onMain(new Callable<Void>() {
                @Override
                public Void call() throws Exception {
                    act(reply);
                    return null;
                }
            });
        }

        abstract void act(Reply reply) throws Exception;
    }

    Commands commands() {
        Map<String, String> base = new LinkedHashMap<String, String>();
        base.put("agentDeviceProtocol", Order.PROTOCOL);
        base.put("helperApiVersion", "1");
        final Commands commands = new Commands(base);
        commands.add("ping", new Command(false) {
            @Override
            protected Work read(String payload) {
                return new MainWork() {
                    @Override
                    void act(Reply reply) {
                        reply.put("capabilities", commands.names().toString().replaceAll("[\\[\\] ]", ""));
                        ping(reply);
                    }
                };
            }
        });
        commands.add("text", new Command(true) {
            @Override
            protected Work read(String payload) {
                final String text = Base64.decodeText(payload);
                return new MainWork() {
                    @Override
                    void act(Reply reply) throws Exception {
                        reply.putAll(editor.type(text));
                    }
                };
            }
        });
        commands.add("clear", new Command(true) {
            @Override
            protected Work read(String payload) {
                return new MainWork() {
                    @Override
                    void act(Reply reply) throws Exception {
                        reply.putAll(editor.clear());
                    }
                };
            }
        });
        commands.add("enter", new Command(true) {
            @Override
            protected Work read(String payload) {
                return new MainWork() {
                    @Override
                    void act(Reply reply) throws Exception {
                        reply.putAll(editor.enter());
                    }
                };
            }
        });
        commands.add("getclipboard", new Command(false) {
            @Override
            protected Work read(String payload) {
                return new MainWork() {
                    @Override
                    void act(Reply reply) {
                        ClipData clip = clipboard.getPrimaryClip();
                        boolean present = clip != null && clip.getItemCount() > 0;
                        CharSequence text = present ? clip.getItemAt(0).coerceToText(service) : "";
                        byte[] bytes = String.valueOf(text).getBytes(StandardCharsets.UTF_8);
                        reply.put("kind", "clipboard").put("present", present).put("bodyFormat", "text/plain").body(bytes, bytes.length);
                    }
                };
            }
        });
        commands.add("setclipboard", new Command(true) {
            @Override
            protected Work read(String payload) {
                final String text = Base64.decodeText(payload);
                return new MainWork() {
                    @Override
                    void act(Reply reply) {
                        clipboard.setPrimaryClip(ClipData.newPlainText("", text));
                        reply.put("kind", "clipboard");
                    }
                };
            }
        });
        commands.add("lease", new Command(true) {
            @Override
            protected Work read(String payload) {
                String[] parts = payload.split(",", -1);
                if (parts.length != 2 || !parts[0].matches("[0-9]{1,10}")) {
                    throw new IllegalArgumentException("a lease is ms,previousKeyboard");
                }
                final Lease taken = Lease.of(parts[1], Long.parseLong(parts[0]), System.currentTimeMillis());
                return new Work() {
                    @Override
                    public void run(Reply reply) {
                        lease.take(taken);
                        reply.put("kind", "lease").put("previous", taken.previous).put("leaseMs", taken.lengthMs);
                    }
                };
            }
        });
        commands.add("restore", new Command(true) {
            @Override
            protected Work read(String payload) {
                return new MainWork() {
                    @Override
                    void act(Reply reply) {
                        reply.put("kind", "restore").put("previous", lease.restore());
                    }
                };
            }
        });
        return commands;
    }

    private void ping(Reply reply) {
        reply.put("kind", "ping").put("sdk", Build.VERSION.SDK_INT).put("pid", Process.myPid());
        boolean connected = service.getCurrentInputStarted() && service.getCurrentInputConnection() != null;
        reply.put("connected", connected);
        EditorInfo info = service.getCurrentInputEditorInfo();
        if (connected && info != null) {
            reply.put("fieldPackage", info.packageName).put("inputType", "0x" + Integer.toHexString(info.inputType));
        }
        Lease now = lease.current();
        reply.put("previous", now.previous).put("leaseMs", now.lengthMs);
        reply.put("leaseLeftMs", now.ends() ? now.leftMs(System.currentTimeMillis()) : 0);
    }
}
