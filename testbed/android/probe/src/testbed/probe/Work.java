package testbed.probe;

import android.content.BroadcastReceiver;
import android.content.Context;
import android.content.Intent;
import android.content.IntentFilter;
import android.net.LocalServerSocket;
import android.net.LocalSocket;
import android.net.LocalSocketAddress;
import android.os.Build;
import android.os.Handler;
import android.os.HandlerThread;
import android.os.Looper;
import java.io.File;
import java.io.FileWriter;
import java.io.IOException;
import java.util.concurrent.Executors;
import java.util.concurrent.TimeUnit;

/** Everything that a process does in the background; each kind of work writes a file of its own again and again. */
final class Work {
    private static boolean begun;

    private Work() {}

    static synchronized void begin(final Context context) {
        if (begun) return;
        begun = true;
        new Thread(new Runnable() {
            @Override
            public void run() {
                while (true) {
                    tick(context, "thread");
                    try {
                        Thread.sleep(20);
                    } catch (InterruptedException e) {
                        // Stubborn.
                    }
                }
            }
        }).start();
        HandlerThread looper = new HandlerThread("probe");
        looper.start();
        repeat(context, new Handler(looper.getLooper()), "looper");
        repeat(context, new Handler(Looper.getMainLooper()), "main");
        Executors.newSingleThreadScheduledExecutor().scheduleAtFixedRate(new Runnable() {
            @Override
            public void run() {
                tick(context, "pool");
            }
        }, 0, 20, TimeUnit.MILLISECONDS);
        BroadcastReceiver receiver = new BroadcastReceiver() {
            @Override
            public void onReceive(Context to, Intent intent) {
                setResult(7, "pong", null);
            }
        };
        IntentFilter filter = new IntentFilter("testbed.probe.PING");
        if (Build.VERSION.SDK_INT >= 33) context.registerReceiver(receiver, filter, 2);
        else context.registerReceiver(receiver, filter);
        new Thread(new Runnable() {
            @Override
            public void run() {
                serve();
            }
        }).start();
    }

    private static void repeat(final Context context, final Handler handler, final String name) {
        handler.post(new Runnable() {
            @Override
            public void run() {
                tick(context, name);
                handler.postDelayed(this, 20);
            }
        });
    }

    private static void tick(Context context, String name) {
        try {
            FileWriter writer = new FileWriter(new File(context.getFilesDir(), name));
            writer.write(String.valueOf(System.nanoTime()));
            writer.close();
        } catch (IOException e) {
            throw new IllegalStateException(e);
        }
    }

    /** Tells whoever connects to the local socket which uid it has; a line of its own asks another socket the same. */
    private static void serve() {
        try {
            LocalServerSocket server = new LocalServerSocket("testbed.probe");
            while (true) {
                final LocalSocket client = server.accept();
                new Thread(new Runnable() {
                    @Override
                    public void run() {
                        answer(client);
                    }
                }).start();
            }
        } catch (IOException e) {
            // The process ends.
        }
    }

    private static void answer(LocalSocket client) {
        try {
            String line = "uid " + client.getPeerCredentials().getUid() + "\n";
            int first = client.getInputStream().read();
            if (first == 's') {
                LocalSocket self = new LocalSocket();
                self.connect(new LocalSocketAddress("testbed.probe"));
                self.getOutputStream().write('x');
                byte[] bytes = new byte[64];
                int count = self.getInputStream().read(bytes);
                line = "self " + new String(bytes, 0, count, "UTF-8");
                self.close();
            }
            client.getOutputStream().write(line.getBytes("UTF-8"));
            client.close();
        } catch (IOException e) {
            // It went.
        }
    }
}
