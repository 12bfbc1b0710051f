package testbed.device.ime;

import android.app.Service;
import android.content.ComponentName;
import android.content.Context;
import android.content.ContextWrapper;
import android.inputmethodservice.InputMethodService;
import android.os.Binder;
import android.os.IBinder;
import android.view.View;
import android.view.inputmethod.EditorInfo;
import android.view.inputmethod.InputBinding;
import android.view.inputmethod.InputConnection;
import android.view.inputmethod.InputMethod;
import org.robolectric.RuntimeEnvironment;
import org.robolectric.util.ReflectionHelpers;
import testbed.device.Device;
import testbed.device.LogBuffer;
import testbed.device.Reflect;
import testbed.device.am.AppRuntime;
import testbed.device.am.Processes;
import testbed.device.pm.App;
import testbed.device.pm.Packages;

/** An input method: its service object, driven through the framework's own InputMethod interface. */
final class ImeService {
    final String id;
    final String packageName;
    private final InputMethodService service;
    private final InputMethod interfaceOfIt;
    private final IBinder token = new Binder();

    private ImeService(String id, String packageName, InputMethodService service) {
        this.id = id;
        this.packageName = packageName;
        this.service = service;
        interfaceOfIt = service.onCreateInputMethodInterface();
    }

    /** Null if the method can't be made; the log says why. */
    static ImeService create(String id) {
        try {
            ImeService made = id.equals(InputMethods.BUILT_IN) ? builtIn(id) : ofApp(id);
            if (made != null) made.attachToken();
            return made;
        } catch (Exception e) {
            Throwable cause = e instanceof java.lang.reflect.InvocationTargetException ? e.getCause() : e;
            java.io.StringWriter trace = new java.io.StringWriter();
            cause.printStackTrace(new java.io.PrintWriter(trace));
            LogBuffer.error("InputMethodManagerService", "no service for " + id + ": " + trace);
            return null;
        }
    }

    private static ImeService builtIn(String id) throws Exception {
        android.app.Application application = RuntimeEnvironment.getApplication();
        Context context = new ContextWrapper(application) {
            @Override
            public String getPackageName() {
                return LatinIme.PACKAGE;
            }
        };
        LatinIme service = new LatinIme();
        attach(service, context, LatinIme.class.getName(), application);
        return new ImeService(id, LatinIme.PACKAGE, service);
    }

    private static ImeService ofApp(String id) throws Exception {
        ComponentName name = ComponentName.unflattenFromString(id);
        App app = name == null ? null : Packages.get(name.getPackageName());
        if (app == null || app.system) return null;
        AppRuntime.ensure(app);
        InputMethodService service = (InputMethodService) app.loader.loadClass(name.getClassName()).getDeclaredConstructor().newInstance();
        Context context = Reflect.call(Reflect.type("android.app.ContextImpl"), "createAppContext", AppRuntime.thread(), app.loadedApk);
        Reflect.call(context, "setOuterContext", service);
        attach(service, context, name.getClassName(), app.application);
        return new ImeService(id, app.packageName, service);
    }

    private static void attach(InputMethodService service, Context context, String className, android.app.Application application) throws Exception {
        Object activityManager = ReflectionHelpers.createNullProxy(Reflect.type("android.app.IActivityManager"));
        for (java.lang.reflect.Method method : Service.class.getDeclaredMethods()) {
            if (!method.getName().equals("attach")) continue;
            method.setAccessible(true);
            method.invoke(service, context, AppRuntime.thread(), className, new Binder(), application, activityManager);
        }
        service.onCreate();
    }

    /** The token by which the method is known, and the way to ask the system for something with it. */
    private void attachToken() throws Exception {
        if (Device.api() < 29) {
            Object manager = Reflect.get(service, "mImm");
            Reflect.set(manager, "mService", Reflect.play("com.android.internal.view.IInputMethodManager", this::privileged));
            interfaceOfIt.attachToken(token);
            return;
        }
        // The display area that the context was to be given comes from the window manager.
        Object windows = Reflect.get(service, "mController");
        if (windows != null) Reflect.set(windows, "mAttachedToDisplayArea", 1);
        Object operations = Reflect.play("com.android.internal.inputmethod.IInputMethodPrivilegedOperations", this::privileged);
        if (Device.api() < 33) {
            Reflect.call(interfaceOfIt, "initializeInternal", token, 0, operations);
            return;
        }
        Object parameters = Reflect.type("com.android.internal.inputmethod.IInputMethod$InitParams").getDeclaredConstructor().newInstance();
        Reflect.set(parameters, "token", token);
        Reflect.set(parameters, "privilegedOperations", operations);
        Reflect.call(interfaceOfIt, "initializeInternal", parameters);
    }

    /** What an input method may ask of the system. On API 23 the token comes first, later ones end in a future for the answer. */
    private Object privileged(String method, Object[] arguments) {
        Object answer = null;
        switch (method) {
            case "setInputMethod":
            case "setInputMethodAndSubtype":
                for (Object argument : arguments) {
                    if (!(argument instanceof String)) continue;
                    if (!InputMethods.enabled().contains(argument)) throw new IllegalArgumentException("Unknown id: " + argument);
                    InputMethods.selectSoon((String) argument);
                }
                break;
            case "switchToPreviousInputMethod":
            case "switchToLastInputMethod":
                answer = InputMethods.selectPreviousSoon();
                break;
            case "switchToNextInputMethod":
            case "shouldOfferSwitchingToNextInputMethod":
                answer = false;
                break;
            case "hideMySoftInput":
                InputMethods.request(false);
                break;
            case "showMySoftInput":
                InputMethods.request(true);
                break;
            default:
                break;
        }
        Object last = arguments.length == 0 ? null : arguments[arguments.length - 1];
        if (last instanceof java.util.concurrent.CompletableFuture) Reflect.call(last, "complete", answer);
        return answer == null ? Reflect.UNKNOWN : answer;
    }

    void startInput(InputConnection connection, EditorInfo editor, int pid) {
        if (connection == null) {
            Reflect.call(service, "doFinishInput");
            return;
        }
        App app = Packages.get(editor.packageName);
        interfaceOfIt.bindInput(new InputBinding(connection, new Binder(), app == null ? 1000 : app.uid, pid));
        interfaceOfIt.startInput(connection, editor);
    }

    void show() {
        if (Reflect.has(interfaceOfIt.getClass(), "showSoftInputWithToken", 4)) Reflect.call(interfaceOfIt, "showSoftInputWithToken", 1, null, token, null);
        else interfaceOfIt.showSoftInput(1, null);
        decor().setVisibility(View.VISIBLE);
    }

    void hide() {
        if (Reflect.has(interfaceOfIt.getClass(), "hideSoftInputWithToken", 4)) Reflect.call(interfaceOfIt, "hideSoftInputWithToken", 0, null, token, null);
        else interfaceOfIt.hideSoftInput(0, null);
        // From API 30 on the window stays, and the window manager shows it no longer.
        decor().setVisibility(View.GONE);
    }

    private View decor() {
        return service.getWindow().getWindow().getDecorView();
    }

    /** Only the built-in method has one. */
    void search(boolean open) {
        if (!(service instanceof LatinIme)) return;
        if (open) ((LatinIme) service).openSearch();
        else ((LatinIme) service).closeSearch();
    }

    boolean isInputViewShown() {
        return service.isInputViewShown();
    }

    void destroy() {
        try {
            service.onDestroy();
        } catch (RuntimeException e) {
            LogBuffer.error("InputMethodManagerService", e.toString());
        }
    }
}
