package testbed.device.ime;

import android.app.Service;
import android.content.ComponentName;
import android.inputmethodservice.InputMethodService;
import android.os.Binder;
import android.view.inputmethod.EditorInfo;
import android.view.inputmethod.InputConnection;
import org.robolectric.util.ReflectionHelpers;
import testbed.device.LogBuffer;
import testbed.device.Reflect;
import testbed.device.am.AppRuntime;
import testbed.device.pm.App;
import testbed.device.pm.Packages;

/** An APK's own input method: its service object, bound to the served field. */
final class ImeService {
    final String packageName;
    private final InputMethodService service;

    private ImeService(String packageName, InputMethodService service) {
        this.packageName = packageName;
        this.service = service;
    }

    /** Null if the method can't be made; the log says why. */
    static ImeService create(String id) {
        ComponentName name = ComponentName.unflattenFromString(id);
        App app = name == null ? null : Packages.get(name.getPackageName());
        if (app == null || app.system) return null;
        try {
            AppRuntime.ensure(app);
            InputMethodService service = (InputMethodService) app.loader.loadClass(name.getClassName()).getDeclaredConstructor().newInstance();
            Object activityManager = ReflectionHelpers.createNullProxy(Reflect.type("android.app.IActivityManager"));
            android.content.Context context = Reflect.call(Reflect.type("android.app.ContextImpl"), "createAppContext", AppRuntime.thread(), app.loadedApk);
            Reflect.call(context, "setOuterContext", service);
            for (java.lang.reflect.Method method : Service.class.getDeclaredMethods()) {
                if (!method.getName().equals("attach")) continue;
                method.setAccessible(true);
                method.invoke(service, context, AppRuntime.thread(), name.getClassName(), new Binder(), app.application, activityManager);
            }
            service.onCreate();
            return new ImeService(app.packageName, service);
        } catch (Exception e) {
            Throwable cause = e instanceof java.lang.reflect.InvocationTargetException ? e.getCause() : e;
            java.io.StringWriter trace = new java.io.StringWriter();
            cause.printStackTrace(new java.io.PrintWriter(trace));
            LogBuffer.error("InputMethodManagerService", "no service for " + id + ": " + trace);
            return null;
        }
    }

    void startInput(InputConnection connection, EditorInfo editor) {
        Reflect.set(service, "mInputConnection", connection);
        Reflect.set(service, "mStartedInputConnection", connection);
        Reflect.set(service, "mInputEditorInfo", editor);
        Reflect.set(service, "mInputStarted", connection != null);
        if (connection != null) service.onStartInput(editor, false);
        else service.onFinishInput();
    }

    void destroy() {
        try {
            service.onDestroy();
        } catch (RuntimeException e) {
            LogBuffer.error("InputMethodManagerService", e.toString());
        }
    }
}
