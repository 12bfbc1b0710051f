package testbed.device.am;

import android.app.Activity;
import android.app.ActivityThread;
import android.app.Application;
import android.content.ActivityNotFoundException;
import android.content.ComponentName;
import android.content.Context;
import android.content.Intent;
import android.content.pm.ActivityInfo;
import android.os.Binder;
import android.os.IBinder;
import android.view.View;
import android.view.WindowManager;
import java.util.ArrayList;
import java.util.Collections;
import java.util.List;
import java.util.function.Predicate;
import org.robolectric.RuntimeEnvironment;
import org.robolectric.shadow.api.Shadow;
import org.robolectric.shadows.ActivityReflector;
import org.robolectric.shadows.ShadowActivity;
import org.robolectric.util.reflector.Reflector;
import testbed.device.Device;
import testbed.device.LogBuffer;
import testbed.device.MainLoop;
import testbed.device.Reflect;
import testbed.device.pm.App;
import testbed.device.pm.Packages;
import testbed.device.system.SystemActivities;
import testbed.device.wm.Windows;

/** The activity stack: starts, finishes, results, tasks. Everything here happens on the main thread. */
public final class Activities {
    private static final List<Task> TASKS = new ArrayList<>();
    private static int nextTask = 1;
    private static Record resumed;

    /** A stack of activities that belong together; the last task of the list is in front. */
    public static final class Task {
        public final int id;
        public final String affinity;
        public final List<Record> stack = new ArrayList<>();

        Task(int id, String affinity) {
            this.id = id;
            this.affinity = affinity;
        }

        Record top() {
            return stack.isEmpty() ? null : stack.get(stack.size() - 1);
        }
    }

    /** One activity and where it stands. */
    public static final class Record {
        public final App app;
        public final ActivityInfo info;
        public final Intent intent;
        public final Activity activity;
        public final Task task;
        final IBinder token;
        final Record caller;
        final String callerWho;
        final int requestCode;
        final ActivityReflector calls;
        boolean stopped;
        boolean added;

        Record(App app, ActivityInfo info, Intent intent, Activity activity, Task task, IBinder token, Record caller, String callerWho, int requestCode) {
            this.app = app;
            this.info = info;
            this.intent = intent;
            this.activity = activity;
            this.task = task;
            this.token = token;
            this.caller = caller;
            this.callerWho = callerWho;
            this.requestCode = requestCode;
            this.calls = Reflector.reflector(ActivityReflector.class, activity);
        }

        public ComponentName component() {
            return new ComponentName(app.packageName, info.name);
        }
    }

    private Activities() {}

    public static void install() throws ReflectiveOperationException {
        // Ending an instrumentation asks the profiler whether it has anything to write.
        java.lang.reflect.Constructor<?> profiler = Reflect.type("android.app.ActivityThread$Profiler").getDeclaredConstructor();
        profiler.setAccessible(true);
        Reflect.set(AppRuntime.thread(), "mProfiler", profiler.newInstance());
        if (Device.api() < 31) return;
        // A root activity's BACK is answered by the server, which else would not be there.
        Object controller = Reflect.play("android.app.IActivityClientController", (method, arguments) -> {
            switch (method) {
                case "onBackPressed":
                case "onBackPressedOnTaskRoot":
                    backOnRoot((IBinder) arguments[0], arguments[1]);
                    return Reflect.UNKNOWN;
                case "moveActivityTaskToBack":
                    MainLoop.post(Activities::home);
                    return true;
                case "isTopOfTask":
                    return resumed != null && resumed.token == arguments[0];
                case "getTaskForActivity": {
                    Record record = find(each -> each.token == arguments[0]);
                    return record == null ? -1 : record.task.id;
                }
                default:
                    return Reflect.UNKNOWN;
            }
        });
        Reflect.call(Reflect.type("android.app.ActivityClient"), "setActivityClientController", controller);
    }

    private static void backOnRoot(IBinder token, Object callback) {
        Record record = find(each -> each.token == token);
        boolean launcherRoot = record != null && record.task.stack.get(0) == record
                && Intent.ACTION_MAIN.equals(record.intent.getAction()) && record.intent.hasCategory(Intent.CATEGORY_LAUNCHER);
        if (launcherRoot) MainLoop.post(Activities::home);
        else Reflect.call(callback, "requestFinish");
    }

    private static Record find(Predicate<Record> wanted) {
        for (int t = TASKS.size() - 1; t >= 0; t--) {
            List<Record> stack = TASKS.get(t).stack;
            for (int i = stack.size() - 1; i >= 0; i--) if (wanted.test(stack.get(i))) return stack.get(i);
        }
        return null;
    }

    public static Record resumed() {
        return resumed;
    }

    public static String foregroundPackage() {
        Record top = resumed;
        return top == null ? null : top.app.packageName;
    }

    public static List<Task> tasks() {
        return TASKS;
    }

    /** The activity that an intent means, or null. */
    public static ActivityInfo resolve(Intent intent) {
        if (intent.getComponent() != null) {
            App app = Packages.get(intent.getComponent().getPackageName());
            if (app == null) return null;
            if (app.system) return SystemActivities.resolve(intent);
            android.content.pm.PackageParser.Activity activity = app.activity(intent.getComponent().getClassName());
            return activity == null ? null : activity.info;
        }
        List<App> apps = intent.getPackage() == null ? Packages.all() : Collections.singletonList(Packages.get(intent.getPackage()));
        for (boolean defaultOnly : new boolean[] {true, false}) {
            for (App app : apps) {
                if (app == null || app.system) continue;
                for (android.content.pm.PackageParser.Activity each : app.parsed.activities) {
                    for (android.content.pm.PackageParser.ActivityIntentInfo filter : each.intents) {
                        if (defaultOnly && !filter.hasCategory(Intent.CATEGORY_DEFAULT)) continue;
                        if (filter.match(intent.getAction(), intent.getType(), intent.getScheme(), intent.getData(), intent.getCategories(), "Activities") >= 0) return each.info;
                    }
                }
            }
        }
        return SystemActivities.resolve(intent);
    }

    /** The package that started an activity, or null. */
    public static String caller(Activity activity) {
        Record record = find(each -> each.activity == activity);
        return record == null || record.caller == null ? null : record.caller.app.packageName;
    }

    /** A start by an app. */
    public static void startFrom(Context who, Activity target, String resultWho, Intent intent, int requestCode) {
        ActivityInfo info = resolve(intent);
        if (info == null) {
            if (intent.getComponent() != null) {
                throw new ActivityNotFoundException("Unable to find explicit activity class " + intent.getComponent().toShortString()
                        + "; have you declared this activity in your AndroidManifest.xml, or does your intent not match its declared <intent-filter>?");
            }
            throw new ActivityNotFoundException("No Activity found to handle " + intent);
        }
        Intent copy = new Intent(intent);
        Record caller = target == null ? null : find(each -> each.activity == target);
        MainLoop.post(() -> launch(copy, info, caller, resultWho, requestCode));
    }

    /** Instrumentation.startActivitySync. */
    public static Activity startAndAwait(Intent intent) {
        ActivityInfo info = resolve(intent);
        if (info == null) throw new RuntimeException("Unable to resolve activity for: " + intent);
        return MainLoop.call(() -> launch(new Intent(intent), info, null, null, -1)).activity;
    }

    /** Pauses the front, starts the new one, stops the old: the order that apps rely on. */
    public static Record launch(Intent intent, ActivityInfo info, Record caller, String callerWho, int requestCode) throws Exception {
        App app = Packages.get(info.packageName);
        LogBuffer.add(1, 4, "ActivityTaskManager", "START u0 {" + describe(intent) + "} with LAUNCH flags from uid 2000");
        Record reused = reuse(app, intent, info, requestCode);
        if (reused != null) return reused;
        Record old = resumed;
        pause(old);

        AppRuntime.application(app);
        Task task = taskFor(app, info, intent, caller);
        Record record = build(app, info, intent, task, caller, callerWho, requestCode, null);
        ActivityThread thread = AppRuntime.thread();
        task.stack.add(record);
        toFront(task);
        thread.getInstrumentation().callActivityOnCreate(record.activity, null);
        if (!record.activity.isFinishing()) {
            start(record);
            record.calls.onPostCreate(null);
            resume(record);
        }
        if (old != null && old != record) MainLoop.postDelayed(() -> stopIfCovered(old), 60);
        return record;
    }

    /** Makes the activity's object and attaches it. */
    private static Record build(App app, ActivityInfo info, Intent intent, Task task, Record caller, String callerWho, int requestCode, Object kept) throws Exception {
        String className = info.targetActivity == null ? info.name : info.targetActivity;
        Application application = AppRuntime.application(app);
        IBinder token = new Binder();
        ActivityThread thread = AppRuntime.thread();
        AppRuntime.bind(app);
        Context context = app.system ? application.getBaseContext() : activityContext(app, info, token);
        Activity activity = app.system ? SystemActivities.make(info) : (Activity) app.loader.loadClass(className).getDeclaredConstructor().newInstance();
        if (intent.getComponent() == null) intent.setComponent(new ComponentName(app.packageName, className));
        if (!app.system) {
            intent.setExtrasClassLoader(app.loader);
            Reflect.call(context, "setOuterContext", activity);
        }
        Record record = new Record(app, info, intent, activity, task, token, caller, callerWho, requestCode);
        CharSequence title = app.system ? info.nonLocalizedLabel : label(app, info);
        record.calls.callAttach(activity, context, thread, thread.getInstrumentation(), application, intent, info, token, title, kept);
        if (caller != null && requestCode >= 0) {
            ShadowActivity shadow = Shadow.extract(activity);
            shadow.setCallingActivity(caller.component());
        }
        int theme = info.getThemeResource();
        if (theme != 0) activity.setTheme(theme);
        return record;
    }

    /** Brings a running instance forward where Android would not make a second one. */
    private static Record reuse(App app, Intent intent, ActivityInfo info, int requestCode) throws Exception {
        if (requestCode >= 0) return null;
        int flags = intent.getFlags();
        boolean newTask = (flags & Intent.FLAG_ACTIVITY_NEW_TASK) != 0;
        boolean clearTop = (flags & Intent.FLAG_ACTIVITY_CLEAR_TOP) != 0;
        boolean single = info.launchMode >= ActivityInfo.LAUNCH_SINGLE_TASK;
        boolean singleTop = info.launchMode == ActivityInfo.LAUNCH_SINGLE_TOP || (flags & Intent.FLAG_ACTIVITY_SINGLE_TOP) != 0;
        Task task = null;
        for (Task each : TASKS) if (each.affinity.equals(affinity(app, info)) && !each.stack.isEmpty()) task = each;
        if (task == null) return null;
        if (newTask && (flags & Intent.FLAG_ACTIVITY_CLEAR_TASK) != 0) {
            while (task.top() != null) destroy(task.top());
            return null;
        }
        Record same = null;
        for (Record each : task.stack) if (each.info.name.equals(info.name)) same = each;
        if (same != null && (single || clearTop && singleTop || singleTop && task.top() == same)) {
            while (task.top() != same) destroy(task.top());
            deliver(same, intent);
            return same;
        }
        if (same != null && clearTop) {
            while (task.stack.contains(same)) destroy(task.top());
            return null;
        }
        // A task that began with this very intent is only brought back.
        if (newTask && begins(task.stack.get(0), intent, info)) {
            bringForward(task);
            return task.top();
        }
        return null;
    }

    private static boolean begins(Record root, Intent intent, ActivityInfo info) {
        Intent resolved = new Intent(intent).setComponent(new ComponentName(info.packageName, info.name));
        return root.info.name.equals(info.name) && new Intent(root.intent).setPackage(null).filterEquals(resolved.setPackage(null));
    }

    /** A running activity gets a new intent, between a pause and a resume, and is in front afterwards. */
    private static void deliver(Record record, Intent intent) throws Exception {
        Record old = resumed;
        pause(old);
        toFront(record.task);
        restart(record);
        Intent fresh = new Intent(intent);
        fresh.setExtrasClassLoader(record.app.loader);
        AppRuntime.thread().getInstrumentation().callActivityOnNewIntent(record.activity, fresh);
        resume(record);
        if (old != null && old != record) MainLoop.postDelayed(() -> stopIfCovered(old), 60);
    }

    private static void bringForward(Task task) throws Exception {
        Record old = resumed;
        Record top = task.top();
        if (old == top) return;
        pause(old);
        toFront(task);
        restart(top);
        resume(top);
        if (old != null) MainLoop.postDelayed(() -> stopIfCovered(old), 60);
    }

    private static Context activityContext(App app, ActivityInfo info, IBinder token) {
        Class<?> type = Reflect.type("android.app.ContextImpl");
        if (Device.api() >= 26) return Reflect.call(type, "createActivityContext", AppRuntime.thread(), app.loadedApk, info, token, 0, null);
        return Reflect.call(type, "createAppContext", AppRuntime.thread(), app.loadedApk);
    }

    private static CharSequence label(App app, ActivityInfo info) {
        try {
            if (info.nonLocalizedLabel != null) return info.nonLocalizedLabel;
            int id = info.labelRes != 0 ? info.labelRes : app.info().labelRes;
            if (id != 0) return app.context.getResources().getText(id);
            return app.info().nonLocalizedLabel != null ? app.info().nonLocalizedLabel : info.name;
        } catch (RuntimeException e) {
            return info.name;
        }
    }

    private static String affinity(App app, ActivityInfo info) {
        return info.taskAffinity == null ? app.packageName : info.taskAffinity;
    }

    private static Task taskFor(App app, ActivityInfo info, Intent intent, Record caller) {
        boolean newTask = caller == null || (intent.getFlags() & Intent.FLAG_ACTIVITY_NEW_TASK) != 0 || info.launchMode >= ActivityInfo.LAUNCH_SINGLE_TASK;
        if (!newTask) return caller.task;
        String affinity = affinity(app, info);
        for (Task each : TASKS) if (each.affinity.equals(affinity)) return each;
        Task task = new Task(nextTask++, affinity);
        TASKS.add(task);
        return task;
    }

    private static void toFront(Task task) {
        TASKS.remove(task);
        TASKS.add(task);
    }

    private static void start(Record record) {
        if (Device.api() <= 27) record.calls.performStart();
        else record.calls.performStart("start");
        record.stopped = false;
    }

    private static void restart(Record record) {
        if (!record.stopped) return;
        if (Device.api() <= 27) record.calls.performRestart();
        else if (Device.api() <= 33) record.calls.performRestart(true, "restart");
        else record.calls.performRestart(true);
        record.stopped = false;
    }

    private static void resume(Record record) {
        resumed = record;
        AppRuntime.bind(record.app);
        if (Device.api() <= 27) record.calls.performResume();
        else record.calls.performResume(true, "resume");
        if (record.activity.isFinishing()) return;
        View decor = record.activity.getWindow().getDecorView();
        if (!record.added) {
            record.added = true;
            WindowManager.LayoutParams params = record.activity.getWindow().getAttributes();
            params.type = WindowManager.LayoutParams.TYPE_BASE_APPLICATION;
            if (params.getTitle() == null || params.getTitle().length() == 0) params.setTitle(record.app.packageName + "/" + record.info.name);
            record.calls.setDecor(decor);
            record.calls.makeVisible();
        } else {
            decor.setVisibility(View.VISIBLE);
        }
        if (Device.api() >= 29) record.calls.performTopResumedActivityChanged(true, "topStateChangedWhenResumed");
        record.calls.onPostResume();
    }

    private static void pause(Record record) {
        if (record == null || record != resumed) return;
        resumed = null;
        if (Device.api() >= 29) record.calls.performTopResumedActivityChanged(false, "topStateChangedWhenResumed");
        AppRuntime.thread().getInstrumentation().callActivityOnUserLeaving(record.activity);
        record.calls.performPause();
    }

    private static void stopIfCovered(Record record) {
        if (record.stopped || record == resumed || !record.task.stack.contains(record)) return;
        if (resumed != null && isTranslucent(resumed) && resumed.task == record.task) return;
        stop(record);
    }

    private static boolean isTranslucent(Record record) {
        android.content.res.TypedArray style = record.activity.obtainStyledAttributes(new int[] {android.R.attr.windowIsTranslucent, android.R.attr.windowIsFloating});
        try {
            return style.getBoolean(0, false) || style.getBoolean(1, false);
        } finally {
            style.recycle();
        }
    }

    private static void stop(Record record) {
        record.stopped = true;
        if (Device.api() <= 23) record.calls.performStop();
        else if (Device.api() <= 27) record.calls.performStop(true);
        else record.calls.performStop(true, "stop");
        if (record.added) record.activity.getWindow().getDecorView().setVisibility(View.INVISIBLE);
    }

    private static void destroy(Record record) {
        record.task.stack.remove(record);
        if (record == resumed) pause(record);
        if (!record.stopped) stop(record);
        AppRuntime.thread().getInstrumentation().callActivityOnDestroy(record.activity);
        removeWindows(record);
        if (record.task.stack.isEmpty()) TASKS.remove(record.task);
    }

    /** The activity's window and what it left behind: dialogs leak, their windows don't. */
    private static void removeWindows(Record record) {
        testbed.device.wm.WindowRemoval.removeAll(record.activity, record.token);
    }

    /** After each idle: carries out what finish() asked for. */
    public static void tick() throws Exception {
        Record finishing = find(each -> each.activity.isFinishing());
        while (finishing != null) {
            finish(finishing);
            finishing = find(each -> each.activity.isFinishing());
        }
    }

    private static void finish(Record record) throws Exception {
        boolean wasTop = record == resumed || record.task.top() == record && TASKS.get(TASKS.size() - 1) == record.task;
        if (record == resumed) pause(record);
        record.task.stack.remove(record);
        ShadowActivity shadow = Shadow.extract(record.activity);
        if (record.caller != null && record.requestCode >= 0 && find(each -> each == record.caller) != null) {
            ShadowActivity caller = Shadow.extract(record.caller.activity);
            if (wasTop) restart(record.caller);
            caller.internalCallDispatchActivityResult(record.callerWho, record.requestCode, shadow.getResultCode(), shadow.getResultIntent());
        }
        Record next = record.task.top();
        if (next == null) {
            TASKS.remove(record.task);
            next = TASKS.isEmpty() ? null : TASKS.get(TASKS.size() - 1).top();
        }
        if (wasTop) {
            if (next == null) {
                home();
            } else if (next != resumed) {
                toFront(next.task);
                restart(next);
                resume(next);
            }
        }
        if (!record.stopped) {
            record.stopped = true;
            if (Device.api() <= 23) record.calls.performStop();
            else if (Device.api() <= 27) record.calls.performStop(true);
            else record.calls.performStop(true, "stop");
        }
        AppRuntime.thread().getInstrumentation().callActivityOnDestroy(record.activity);
        removeWindows(record);
    }

    static void processDied(String packageName) {
        Record top = resumed;
        for (Task task : new ArrayList<>(TASKS)) {
            for (Record record : new ArrayList<>(task.stack)) {
                // What the system asks in the app's name goes with it.
                boolean asked = record.app.system && record.caller != null && record.caller.app.packageName.equals(packageName);
                if (!asked && !record.app.packageName.equals(packageName)) continue;
                task.stack.remove(record);
                if (record == resumed) resumed = null;
                removeWindows(record);
            }
            if (task.stack.isEmpty()) TASKS.remove(task);
        }
        testbed.device.wm.WindowRemoval.removeAllOf(packageName);
        if (top == resumed) return;
        try {
            Record next = TASKS.isEmpty() ? null : TASKS.get(TASKS.size() - 1).top();
            if (next == null) {
                home();
            } else {
                restart(next);
                resume(next);
            }
        } catch (Exception e) {
            throw Reflect.unchecked(e);
        }
    }

    /** The launcher alone, with its window alone. */
    public static void reset() throws Exception {
        for (Task task : new ArrayList<>(TASKS)) {
            if (!task.affinity.equals(SystemActivities.LAUNCHER)) while (task.top() != null) destroy(task.top());
        }
        home();
        testbed.device.wm.WindowRemoval.removeAllBut(resumed.activity.getWindow().getDecorView());
    }

    /** The launcher in front. */
    public static void home() throws Exception {
        for (Task task : TASKS) {
            if (task.affinity.equals(SystemActivities.LAUNCHER)) {
                bringForward(task);
                return;
            }
        }
        Intent intent = new Intent(Intent.ACTION_MAIN).addCategory(Intent.CATEGORY_HOME).addFlags(Intent.FLAG_ACTIVITY_NEW_TASK);
        launch(intent, SystemActivities.launcher(), null, null, -1);
    }

    /** Another package comes to the front, as if its icon had been touched. */
    public static void bring(String packageName) throws Exception {
        if (packageName.equals(SystemActivities.LAUNCHER)) {
            home();
            return;
        }
        Intent intent = new Intent(Intent.ACTION_MAIN).addCategory(Intent.CATEGORY_LAUNCHER).setPackage(packageName).addFlags(Intent.FLAG_ACTIVITY_NEW_TASK);
        ActivityInfo info = resolve(intent);
        if (info == null) throw new IllegalArgumentException("nothing of " + packageName + " can be started");
        launch(intent, info, null, null, -1);
    }

    /** The prompt for a permission over an app's activity, whether or not the app has asked. */
    public static void askFor(App app, String permission) throws Exception {
        Record top = find(each -> each.app == app);
        if (top == null) throw new IllegalArgumentException(app.packageName + " has no activity");
        top.activity.requestPermissions(new String[] {permission}, 0);
    }

    /** The display changed: activities are told, or made anew if they don't want to be told. */
    public static void configurationChanged() throws Exception {
        android.content.res.Configuration now = RuntimeEnvironment.getApplication().getResources().getConfiguration();
        for (Task task : new ArrayList<>(TASKS)) {
            for (Record record : new ArrayList<>(task.stack)) {
                android.content.res.Resources resources = record.activity.getResources();
                resources.updateConfiguration(now, android.content.res.Resources.getSystem().getDisplayMetrics());
                // Size, screen size, layout, orientation, density.
                int handled = ActivityInfo.CONFIG_SCREEN_SIZE | ActivityInfo.CONFIG_ORIENTATION;
                if ((record.info.configChanges & handled) == handled || record.app.system) {
                    record.activity.onConfigurationChanged(now);
                } else {
                    recreate(record);
                }
            }
        }
        // Those made anew have windows of their own, which know already.
        Windows.tick();
        for (Windows.Record window : Windows.visible()) {
            window.view.requestLayout();
            org.robolectric.shadows.ShadowViewRootImpl shadow = Shadow.extract(window.root);
            shadow.callDispatchResized();
        }
    }

    private static void recreate(Record record) throws Exception {
        android.os.Bundle state = new android.os.Bundle();
        boolean wasResumed = record == resumed;
        if (wasResumed) pause(record);
        AppRuntime.thread().getInstrumentation().callActivityOnSaveInstanceState(record.activity, state);
        if (!record.stopped) stop(record);
        Object kept = record.calls.retainNonConfigurationInstances();
        AppRuntime.thread().getInstrumentation().callActivityOnDestroy(record.activity);
        removeWindows(record);
        Record fresh = build(record.app, record.info, record.intent, record.task, record.caller, record.callerWho, record.requestCode, kept);
        record.task.stack.set(record.task.stack.indexOf(record), fresh);
        AppRuntime.thread().getInstrumentation().callActivityOnCreate(fresh.activity, state);
        start(fresh);
        AppRuntime.thread().getInstrumentation().callActivityOnRestoreInstanceState(fresh.activity, state);
        fresh.calls.onPostCreate(state);
        if (wasResumed) resume(fresh);
        else fresh.stopped = true;
    }

    /** Waits until an activity's window is there, for `am start -W`. */
    public static boolean awaitDrawn(Record record, long millis) throws InterruptedException {
        long end = testbed.device.Clock.now() + millis;
        while (testbed.device.Clock.now() < end) {
            if (resumed != record) return true;
            for (Windows.Record window : Windows.visible()) if (window.view == record.activity.getWindow().peekDecorView()) return true;
            testbed.boot.RealTime.sleep(5);
        }
        return false;
    }

    /** An intent in dumpsys' and am's short form. */
    public static String describe(Intent intent) {
        StringBuilder text = new StringBuilder();
        if (intent.getAction() != null) text.append("act=").append(intent.getAction()).append(' ');
        if (intent.getCategories() != null) text.append("cat=[").append(String.join(",", intent.getCategories())).append("] ");
        if (intent.getDataString() != null) text.append("dat=").append(intent.getDataString()).append(' ');
        if (intent.getType() != null) text.append("typ=").append(intent.getType()).append(' ');
        if (intent.getFlags() != 0) text.append("flg=0x").append(Integer.toHexString(intent.getFlags())).append(' ');
        if (intent.getPackage() != null) text.append("pkg=").append(intent.getPackage()).append(' ');
        if (intent.getComponent() != null) text.append("cmp=").append(intent.getComponent().flattenToShortString()).append(' ');
        if (intent.getExtras() != null) text.append("(has extras) ");
        return text.toString().trim();
    }
}
