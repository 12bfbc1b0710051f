package dev.agentdevice.ime;

import android.content.Context;
import android.content.SharedPreferences;
import android.os.Build;
import android.os.Handler;
import android.os.IBinder;
import android.os.Looper;
import android.util.Log;
import android.view.inputmethod.InputMethodManager;

import dev.agentdevice.ime.pure.Lease;

/** Keeps the lease over crashes and gives the user's keyboard back when it ends. */
final class KeyboardLease implements Runnable {
    private static final String KEY = "lease";

    private final TestInputMethodService service;
    private final SharedPreferences store;
    private final Handler main = new Handler(Looper.getMainLooper());
    private Lease lease;

    KeyboardLease(TestInputMethodService service) {
        this.service = service;
        store = service.getSharedPreferences("lease", Context.MODE_PRIVATE);
        lease = Lease.fromText(store.getString(KEY, null));
        schedule();
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
        schedule();
    }

    private void schedule() {
        main.removeCallbacks(this);
        if (lease.ends()) {
            main.postDelayed(this, lease.leftMs(System.currentTimeMillis()) + 1);
        }
    }

    /** When the time is up. */
    @Override
    public synchronized void run() {
        if (!lease.ended(System.currentTimeMillis())) {
            schedule();
            return;
        }
        try {
            restore();
        } catch (RuntimeException e) {
            Log.w(TestInputMethodService.TAG, "the previous keyboard could not be restored: " + e);
        }
    }

    /** Switches to the keyboard of before and forgets it. */
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
        lease = Lease.NONE;
        store.edit().remove(KEY).commit();
        main.removeCallbacks(this);
        return previous;
    }
}
