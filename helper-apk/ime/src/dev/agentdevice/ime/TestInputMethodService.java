package dev.agentdevice.ime;

import android.content.BroadcastReceiver;
import android.content.Context;
import android.content.Intent;
import android.content.IntentFilter;
import android.inputmethodservice.InputMethodService;
import android.os.Build;
import android.os.Bundle;
import android.util.Log;
import android.view.View;

import dev.agentdevice.ime.pure.Lease;
import dev.agentdevice.ime.pure.Order;
import dev.agentdevice.platform.LocalEndpoint;
import dev.agentdevice.platform.Sessions;
import dev.agentdevice.session.Endpoint;
import dev.agentdevice.session.Failure;
import dev.agentdevice.session.SessionServer;
import dev.agentdevice.session.TcpEndpoint;
import dev.agentdevice.session.WireErrors;

import java.io.IOException;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;

/**
 * A keyboard without a picture: it adds no node to any tree and types any text. It takes orders from the shell only, over a
 * local socket or as ordered broadcasts, and tells what became of each.
 */
public final class TestInputMethodService extends InputMethodService {
    static final String TAG = "AgentDeviceTestIME";
    private static final String SOCKET = "dev.agentdevice.ime";
    /** The shell holds it, apps can't. */
    private static final String SENDER_PERMISSION = "android.permission.WRITE_SECURE_SETTINGS";
    /** Context.RECEIVER_EXPORTED, which has a name from API 33 on. */
    private static final int RECEIVER_EXPORTED = 2;

    private final List<SessionServer> servers = new ArrayList<SessionServer>();
    private Editor editor;
    private KeyboardLease lease;
    private BroadcastReceiver receiver;
    private SessionServer tcp;

    @Override
    public void onCreate() {
        super.onCreate();
        editor = new Editor(this);
        lease = new KeyboardLease(this);
        receiver = new Orders();
        IntentFilter filter = new IntentFilter();
        for (String action : new String[] {Order.INPUT_TEXT_B64, Order.INPUT_TEXT, Order.CLEAR_TEXT, Order.ENTER, Order.LEASE,
            Order.RESTORE, Order.SESSION}) {
            filter.addAction(action);
        }
        // A receiver of the manifest that is not exported gets nothing from the shell on Android 16.
        if (Build.VERSION.SDK_INT >= 33) {
            registerReceiver(receiver, filter, SENDER_PERMISSION, null, RECEIVER_EXPORTED);
        } else {
            registerReceiver(receiver, filter, SENDER_PERMISSION, null);
        }
        try {
            serve(new LocalEndpoint(SOCKET), "");
        } catch (IOException e) {
            Log.w(TAG, "no local socket, broadcasts only: " + e);
        }
    }

    @Override
    public void onDestroy() {
        unregisterReceiver(receiver);
        lease.leave();
        for (SessionServer server : servers) {
            server.stop(SessionServer.End.STOPPED);
        }
        super.onDestroy();
    }

    @Override
    public boolean onEvaluateInputViewShown() {
        super.onEvaluateInputViewShown();
        return false;
    }

    @Override
    public boolean onEvaluateFullscreenMode() {
        return false;
    }

    @Override
    public View onCreateInputView() {
        return null;
    }

    private SessionServer serve(Endpoint endpoint, String token) {
        SessionServer server = Sessions.start(endpoint, token, new ImeCommands(this, editor, lease).commands(), TAG);
        servers.add(server);
        return server;
    }

    private final class Orders extends BroadcastReceiver {
        @Override
        public void onReceive(Context context, final Intent intent) {
            try {
                final Bundle extras = intent.getExtras() == null ? new Bundle() : intent.getExtras();
                Order order = Order.read(intent.getAction(), new Order.Extras() {
                    @Override
                    public String text(String name) {
                        Object value = extras.get(name);
                        return value == null ? null : value.toString();
                    }
                });
                lease.renew();
                answer(Order.DONE, "ok" + obey(order));
            } catch (IllegalArgumentException e) {
                answer(Order.REJECTED, "rejected " + e.getMessage());
            } catch (Failure e) {
                boolean unconnected = e.getCause() instanceof Editor.NoConnectionException;
                answer(unconnected ? Order.NO_CONNECTION : Order.FAILED, (unconnected ? "no-connection " : "failed ") + e.getMessage());
            } catch (Throwable e) {
                // A bad broadcast must not take the keyboard down.
                answer(Order.FAILED, "failed " + WireErrors.type(e) + " " + WireErrors.message(e));
            }
        }

        private void answer(int code, String text) {
            if (isOrderedBroadcast()) {
                setResult(code, text.replace('"', '\'').replace('\n', ' '), null);
            }
            if (code != Order.DONE) {
                Log.w(TAG, text);
            }
        }
    }

    private String obey(Order order) throws Exception {
        if (order.text != null) {
            return words(editor.type(order.text));
        }
        if (order.action.equals(Order.CLEAR_TEXT)) {
            return words(editor.clear());
        }
        if (order.action.equals(Order.ENTER)) {
            return words(editor.enter());
        }
        if (order.action.equals(Order.LEASE)) {
            lease.take(Lease.of(order.previous, order.leaseMs, System.currentTimeMillis()));
            return " previous=" + order.previous;
        }
        if (order.action.equals(Order.RESTORE)) {
            return " previous=" + lease.restore();
        }
        // A host that comes again with another token takes the place of the one before.
        if (tcp != null) {
            tcp.stop(SessionServer.End.STOPPED);
            servers.remove(tcp);
        }
        tcp = serve(new TcpEndpoint(order.port), order.token);
        return " port=" + order.port;
    }

    private static String words(Map<String, String> facts) {
        StringBuilder out = new StringBuilder();
        for (Map.Entry<String, String> fact : facts.entrySet()) {
            out.append(' ').append(fact.getKey()).append('=').append(fact.getValue());
        }
        return out.toString();
    }
}
