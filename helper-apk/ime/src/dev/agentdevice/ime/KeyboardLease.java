package dev.agentdevice.ime;

import android.content.Context;
import android.content.SharedPreferences;
import android.os.Build;
import android.os.Handler;
import android.os.IBinder;
import android.os.Looper;
import android.provider.Settings;
import android.util.Log;
import android.view.inputmethod.InputMethodManager;

import dev.agentdevice.ime.pure.Lease;

/** Keeps the lease over crashes and gives the user's keyboard back when it ends. */
final class KeyboardLease implements Runnable {
    private static final String KEY = "lease";
    /** A host that selects this keyboard again after a crash gets the time to say so. */
    private static final long GRACE_MS = 5000;
    private static final long RETRY_MS = 30000;

    private final TestInputMethodService service;
    private final SharedPreferences store;
    private final Handler main = new Handler(Looper.getMainLooper());
    private Lease lease;

    KeyboardLease(TestInputMethodService service) {
        this.service = service;
        // Readable before the user has unlocked a restarted device, when a keyboard may already be running.
        Context storage = Build.VERSION.SDK_INT >= 24 ? service.createDeviceProtectedStorageContext() : service;
        store = storage.getSharedPreferences("lease", Context.MODE_PRIVATE);
        lease = Lease.fromText(store.getString(KEY, null));
        schedule(GRACE_MS);
    }

    /** The service goes. If another keyboard is selected, whoever did that, there is nothing left to give back. */
    synchronized void leave() {
        main.removeCallbacks(this);
        String selected = Settings.Secure.getString(service.getContentResolver(), Settings.Secure.DEFAULT_INPUT_METHOD);
        if (selected != null && !selected.startsWith(service.getPackageName() + "/")) {
            forget();
        }
    }

    private void forget() {
        lease = Lease.NONE;
        store.edit().remove(KEY).commit();
    }

    synchronized Lease current() {
        return lease;
    }

    synchronized void take(Lease taken) {
        keep(taken);
    }

    /** Somebody has talked to the keyboard. */
    synchronized void renew() {
        if (lease.ends()) {
            keep(lease.renewed(System.currentTimeMillis()));
        }
    }

    private void keep(Lease next) {
        // The first of a lease must be on disk before anything else happens; renewals may be late.
        boolean renewal = next.previous.equals(lease.previous) && next.lengthMs == lease.lengthMs;
        lease = next;
        SharedPreferences.Editor edit = store.edit().putString(KEY, next.toText());
        if (renewal) {
            edit.apply();
        } else {
            edit.commit();
        }
        schedule(0);
    }

    private void schedule(long atLeastMs) {
        main.removeCallbacks(this);
        if (lease.ends()) {
            main.postDelayed(this, Math.max(atLeastMs, lease.leftMs(System.currentTimeMillis()) + 1));
        }
    }

    /** When the time is up. */
    @Override
    public synchronized void run() {
        if (!lease.ended(System.currentTimeMillis())) {
            schedule(0);
            return;
        }
        // Switching is a request: it has worked when this service is destroyed. Until then it is tried again.
        schedule(RETRY_MS);
        Log.i(TestInputMethodService.TAG, "nobody has talked to the keyboard; asking for " + lease.previous);
        try {
            restore();
        } catch (RuntimeException e) {
            Log.w(TestInputMethodService.TAG, "the previous keyboard could not be restored: " + e);
        }
    }

    /** Asks for the keyboard of before. It is forgotten in {@link #leave}, when it is really there. */
    synchronized String restore() {
        if (!lease.exists()) {
            throw new IllegalStateException("no previous keyboard is known");
        }
        String previous = lease.previous;
        if (Build.VERSION.SDK_INT >= 28) {
            service.switchInputMethod(previous);
        } else {
            IBinder token = service.getWindow().getWindow().getAttributes().token;
            ((InputMethodManager) service.getSystemService(Context.INPUT_METHOD_SERVICE)).setInputMethod(token, previous);
        }
        return previous;
    }
}
