package testbed.device.wm;

import android.app.Activity;
import android.content.Context;
import android.content.ContextWrapper;
import android.os.IBinder;
import android.view.View;
import android.view.WindowManager.LayoutParams;
import android.view.WindowManagerGlobal;
import java.util.ArrayList;
import java.util.Collections;
import java.util.List;
import testbed.device.LogBuffer;
import testbed.device.Reflect;

/** What only a window manager does to the window list: windows are removed without asking their owner. */
public final class WindowRemoval {
    private WindowRemoval() {}

    public static void removeAll(Activity activity, IBinder token) {
        View decor = activity.getWindow().peekDecorView();
        for (Entry each : entries()) {
            if (each.view == decor || each.params.token == token || activityOf(each.view.getContext()) == activity) remove(each.view);
        }
    }

    public static void removeAllOf(String packageName) {
        for (Entry each : entries()) {
            if (each.view.getContext() != null && packageName.equals(each.view.getContext().getPackageName())) remove(each.view);
        }
    }

    public static void removeAllBut(View decor) {
        for (Entry each : entries()) if (each.view != decor) remove(each.view);
    }

    private static void remove(View view) {
        try {
            WindowManagerGlobal.getInstance().removeView(view, true);
        } catch (RuntimeException e) {
            LogBuffer.add(1, 5, "WindowManager", "window of " + view + " could not be removed: " + e);
        }
    }

    private static Activity activityOf(Context context) {
        while (context instanceof ContextWrapper) {
            if (context instanceof Activity) return (Activity) context;
            context = ((ContextWrapper) context).getBaseContext();
        }
        return null;
    }

    private static final class Entry {
        final View view;
        final LayoutParams params;

        Entry(View view, LayoutParams params) {
            this.view = view;
            this.params = params;
        }
    }

    private static List<Entry> entries() {
        List<View> views = Windows.list(Reflect.get(WindowManagerGlobal.getInstance(), "mViews"));
        List<LayoutParams> params = Windows.list(Reflect.get(WindowManagerGlobal.getInstance(), "mParams"));
        List<Entry> all = new ArrayList<>();
        for (int i = 0; i < views.size() && i < params.size(); i++) all.add(new Entry(views.get(i), params.get(i)));
        Collections.reverse(all);
        return all;
    }
}
