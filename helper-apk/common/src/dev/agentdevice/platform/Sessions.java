package dev.agentdevice.platform;

import android.util.Log;

import dev.agentdevice.session.Clock;
import dev.agentdevice.session.Endpoint;
import dev.agentdevice.session.Handler;
import dev.agentdevice.session.SessionServer;

import java.io.IOException;

/** Sessions beside an app's own life. */
public final class Sessions {
    private Sessions() {
    }

    /** Serves on a thread of its own until it is stopped; the end is logged under {@code tag}. */
    public static SessionServer start(Endpoint endpoint, String token, Handler handler, final String tag) {
        final SessionServer server = new SessionServer(endpoint, token, handler, new SessionServer.Limits(), Clock.SYSTEM);
        Thread thread = new Thread("session") {
            @Override
            public void run() {
                try {
                    server.serve();
                } catch (IOException e) {
                    Log.w(tag, "the session ended: " + e);
                } catch (InterruptedException e) {
                    Log.w(tag, "the session was interrupted");
                }
            }
        };
        thread.setDaemon(true);
        thread.start();
        return server;
    }
}
