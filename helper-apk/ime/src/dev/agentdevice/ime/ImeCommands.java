package dev.agentdevice.ime;

import android.os.Build;
import android.os.Process;
import android.view.inputmethod.EditorInfo;

import dev.agentdevice.ime.pure.Lease;
import dev.agentdevice.ime.pure.Order;
import dev.agentdevice.platform.Clipboard;
import dev.agentdevice.platform.MainThread;
import dev.agentdevice.session.Commands;
import dev.agentdevice.session.Commands.Command;
import dev.agentdevice.session.Payload;
import dev.agentdevice.session.Reply;

import java.util.LinkedHashMap;
import java.util.Map;
import java.util.concurrent.Callable;

/** What the keyboard's session can do. The protocol is the helper's. */
final class ImeCommands {
    private final TestInputMethodService service;
    private final Editor editor;
    private final KeyboardLease lease;
    private final Clipboard clipboard;
    private final MainThread main = new MainThread();

    ImeCommands(TestInputMethodService service, Editor editor, KeyboardLease lease) {
        this.service = service;
        this.editor = editor;
        this.lease = lease;
        clipboard = new Clipboard(service, false);
    }

    /** Runs on the main thread and renews the lease. */
    private abstract class OnMain<T> implements Command<T> {
        @Override
        public final void run(final T given, final Reply reply) throws Exception {
            lease.renew();
            main.call(new Callable<Void>() {
                @Override
                public Void call() throws Exception {
                    act(given, reply);
                    return null;
                }
            });
        }

        abstract void act(T given, Reply reply) throws Exception;
    }

    private static final Payload<Lease> LEASE = new Payload<Lease>() {
        @Override
        public Lease read(String payload) {
            String[] parts = payload.split(",", -1);
            if (parts.length != 2 || !parts[0].matches("[0-9]{1,10}")) {
                throw new IllegalArgumentException("a lease is ms,previousKeyboard");
            }
            return Lease.of(parts[1], Long.parseLong(parts[0]), System.currentTimeMillis());
        }
    };

    Commands commands() {
        Map<String, String> base = new LinkedHashMap<String, String>();
        base.put("agentDeviceProtocol", Order.PROTOCOL);
        base.put("helperApiVersion", "1");
        final Commands commands = new Commands(base);
        commands.observe("ping", Payload.NONE, new OnMain<Void>() {
            @Override
            void act(Void nothing, Reply reply) {
                reply.putList("capabilities", commands.names());
                ping(reply);
            }
        });
        commands.mutate("text", Payload.TEXT, new OnMain<String>() {
            @Override
            void act(String text, Reply reply) throws Exception {
                reply.putAll(editor.type(text));
            }
        });
        commands.mutate("clear", Payload.NONE, new OnMain<Void>() {
            @Override
            void act(Void nothing, Reply reply) throws Exception {
                reply.putAll(editor.clear());
            }
        });
        commands.mutate("enter", Payload.NONE, new OnMain<Void>() {
            @Override
            void act(Void nothing, Reply reply) throws Exception {
                reply.putAll(editor.enter());
            }
        });
        commands.observe("getclipboard", Payload.NONE, new OnMain<Void>() {
            @Override
            void act(Void nothing, Reply reply) {
                clipboard.tell(reply);
            }
        });
        commands.mutate("setclipboard", Payload.TEXT, new OnMain<String>() {
            @Override
            void act(String text, Reply reply) {
                clipboard.set(text, reply);
            }
        });
        commands.mutate("lease", LEASE, new Command<Lease>() {
            @Override
            public void run(Lease taken, Reply reply) {
                lease.take(taken);
                reply.put("kind", "lease").put("previous", taken.previous).put("leaseMs", taken.lengthMs);
            }
        });
        commands.mutate("restore", Payload.NONE, new OnMain<Void>() {
            @Override
            void act(Void nothing, Reply reply) {
                reply.put("kind", "restore").put("previous", lease.restore());
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
