package testbed.device.a11y;

import android.accessibilityservice.AccessibilityServiceInfo;
import android.os.Bundle;
import android.os.Process;
import android.view.InputEvent;
import android.view.accessibility.AccessibilityEvent;
import android.view.accessibility.AccessibilityNodeInfo;
import android.view.accessibility.AccessibilityWindowInfo;
import java.lang.reflect.InvocationTargetException;
import java.lang.reflect.Method;
import java.util.ArrayDeque;
import java.util.ArrayList;
import java.util.Deque;
import java.util.List;
import testbed.device.Device;
import testbed.device.LogBuffer;
import testbed.device.Reflect;
import testbed.device.Settings;
import testbed.device.wm.InputDispatcher;
import testbed.device.wm.Screen;
import testbed.device.wm.Windows;

/** Plays the one UiAutomation slot of a device: who owns it, and what the owner may ask. */
public final class UiAutomationServer {
    private static final int ACTIVE_WINDOW = Integer.MAX_VALUE;
    private static final int ANY_WINDOW = -2;
    private static final Object LOCK = new Object();

    private static String owner;
    private static Object ownerToken;
    private static Object client;
    private static AccessibilityServiceInfo info;
    private static int connectionId;

    private UiAutomationServer() {}

    /** The connection that `am instrument` hands to its instrumentation. */
    public static Object connectionFor(String packageName) {
        Object token = new Object();
        return Reflect.play("android.app.IUiAutomationConnection", (method, arguments) -> automation(packageName, token, method, arguments));
    }

    public static String owner() {
        synchronized (LOCK) {
            return owner;
        }
    }

    public static AccessibilityServiceInfo info() {
        return info;
    }

    /** Takes the slot for a package that isn't there: another tool on the same device. */
    public static void occupy(String packageName) {
        synchronized (LOCK) {
            owner = packageName;
            ownerToken = packageName;
            client = null;
        }
    }

    /** The owner's process has gone, or its instrumentation's. */
    public static void releaseIfOwner(String packageName) {
        synchronized (LOCK) {
            if (packageName.equals(owner)) release();
        }
    }

    public static void release() {
        synchronized (LOCK) {
            owner = null;
            ownerToken = null;
            client = null;
        }
    }

    private static Object automation(String packageName, Object token, String method, Object[] arguments) throws Exception {
        switch (method) {
            case "connect":
                connect(packageName, token, arguments[0]);
                return Reflect.UNKNOWN;
            case "disconnect":
            case "shutdown":
                synchronized (LOCK) {
                    if (ownerToken == token) release();
                }
                return Reflect.UNKNOWN;
            case "injectInputEvent":
                return InputDispatcher.inject((InputEvent) arguments[0], arguments.length < 2 || (Boolean) arguments[1]);
            case "setRotation": {
                // -2 unfreezes, -1 freezes as it is, others turn.
                int rotation = (Integer) arguments[0];
                Settings.put("system", "accelerometer_rotation", rotation == -2 ? "1" : "0");
                Settings.put("system", "user_rotation", String.valueOf(rotation >= 0 ? rotation : Screen.rotation()));
                Screen.followSettings();
                return true;
            }
            case "executeShellCommand":
                ShellPipe.run((String) arguments[0], arguments[1]);
                return Reflect.UNKNOWN;
            default:
                return Reflect.UNKNOWN;
        }
    }

    private static void connect(String packageName, Object token, Object newClient) {
        Object connection;
        int id;
        synchronized (LOCK) {
            if (owner != null) {
                throw new IllegalStateException("UiAutomationService " + newClient + "already registered!");
            }
            owner = packageName;
            ownerToken = token;
            client = newClient;
            id = ++connectionId;
            info = new AccessibilityServiceInfo();
            info.eventTypes = AccessibilityEvent.TYPES_ALL_MASK;
            info.feedbackType = AccessibilityServiceInfo.FEEDBACK_GENERIC;
            info.flags |= AccessibilityServiceInfo.FLAG_INCLUDE_NOT_IMPORTANT_VIEWS | AccessibilityServiceInfo.FLAG_REPORT_VIEW_IDS;
            // Window content, touch exploration, enhanced web access, key filtering.
            Reflect.call(info, "setCapabilities", 15);
            connection = Reflect.play("android.accessibilityservice.IAccessibilityServiceConnection", (method, arguments) -> service(token, method, arguments));
        }
        Reflect.call(newClient, "init", connection, id, new android.os.Binder());
    }

    private static Object service(Object token, String method, Object[] arguments) throws Exception {
        synchronized (LOCK) {
            // What is still on its way when the owner goes finds nothing.
            if (ownerToken != token) return Reflect.UNKNOWN;
        }
        switch (method) {
            case "getServiceInfo":
                return info;
            case "setServiceInfo":
                info = (AccessibilityServiceInfo) arguments[0];
                Reflect.call(info, "setCapabilities", 15);
                return Reflect.UNKNOWN;
            case "getWindows":
                return windowsResult();
            case "getWindow":
                for (AccessibilityWindowInfo window : windowList()) if (window.getId() == (Integer) arguments[0]) return window;
                return null;
            case "findAccessibilityNodeInfoByAccessibilityId":
            case "findAccessibilityNodeInfosByText":
            case "findAccessibilityNodeInfosByViewId":
            case "findFocus":
            case "focusSearch":
                return found(forward(method, arguments));
            case "performAccessibilityAction":
                return forward(method, arguments) != null;
            case "performGlobalAction":
                return InputDispatcher.globalAction((Integer) arguments[0]);
            case "isCacheEnabled":
                return true;
            default:
                return Reflect.UNKNOWN;
        }
    }

    /** API 23 says whether it was found, later levels name the packages it is found in. */
    private static Object found(AccessibilityServer.Registered window) {
        if (Device.api() <= 25) return window != null;
        return window == null ? null : new String[] {window.packageName == null ? "android" : window.packageName};
    }

    private static Object windowsResult() {
        List<AccessibilityWindowInfo> list = windowList();
        if (Device.api() < 30) return list;
        try {
            Object array = Reflect.type("android.view.accessibility.AccessibilityWindowInfo$WindowListSparseArray").getDeclaredConstructor().newInstance();
            Reflect.call(array, "put", 0, list);
            return array;
        } catch (ReflectiveOperationException e) {
            throw new IllegalStateException(e);
        }
    }

    private static List<AccessibilityWindowInfo> windowList() {
        List<AccessibilityWindowInfo> list = new ArrayList<>();
        if ((info.flags & AccessibilityServiceInfo.FLAG_RETRIEVE_INTERACTIVE_WINDOWS) == 0) return list;
        for (Windows.Record record : Windows.visible()) {
            if (record.id() == AccessibilityServer.NO_WINDOW) continue;
            AccessibilityWindowInfo window = Reflect.create(AccessibilityWindowInfo.class);
            Reflect.call(window, "setId", record.id());
            Reflect.call(window, "setType", record.accessibilityType());
            Reflect.call(window, "setLayer", record.layer);
            Reflect.call(window, "setFocused", record.focused);
            Reflect.call(window, "setActive", record.focused);
            Reflect.call(window, "setConnectionId", connectionId);
            if (Device.api() >= 24) Reflect.call(window, "setTitle", record.title());
            if (Device.api() >= 30) {
                Reflect.call(window, "setRegionInScreen", record.region());
                Reflect.call(window, "setDisplayId", 0);
            } else {
                Reflect.call(window, "setBoundsInScreen", record.region().getBounds());
            }
            list.add(window);
        }
        return list;
    }

    /**
     * Passes a question on to the window's own connection. The parameters of both ends differ between API levels, but in
     * both the numbers keep their order; what only the window's end knows is filled in by type.
     */
    private static AccessibilityServer.Registered forward(String name, Object[] arguments) throws Exception {
        int windowId = (Integer) arguments[0];
        if (windowId == ACTIVE_WINDOW || windowId == ANY_WINDOW) {
            Windows.Record focused = Windows.focused();
            windowId = focused == null ? AccessibilityServer.NO_WINDOW : focused.id();
        }
        AccessibilityServer.Registered window = AccessibilityServer.byId(windowId);
        if (window == null) return null;

        Deque<Integer> numbers = new ArrayDeque<>();
        Deque<Long> longs = new ArrayDeque<>();
        Object callback = null;
        Object text = null;
        Bundle bundle = null;
        for (int i = 1; i < arguments.length; i++) {
            Object argument = arguments[i];
            if (argument instanceof Integer) numbers.add((Integer) argument);
            else if (argument instanceof Long) longs.add((Long) argument);
            else if (argument instanceof String) text = argument;
            else if (argument instanceof Bundle) bundle = (Bundle) argument;
            else if (argument != null) callback = argument;
        }
        if (name.equals("findAccessibilityNodeInfoByAccessibilityId")) {
            int interaction = numbers.poll();
            int flags = numbers.poll();
            numbers.add(interaction);
            numbers.add(flags | fetchFlags());
        } else {
            numbers.add(fetchFlags());
        }
        numbers.add(Process.myPid());

        for (Method method : Reflect.type("android.view.accessibility.IAccessibilityInteractionConnection").getMethods()) {
            if (!method.getName().equals(name)) continue;
            Class<?>[] types = method.getParameterTypes();
            Object[] values = new Object[types.length];
            for (int i = 0; i < types.length; i++) {
                String type = types[i].getSimpleName();
                switch (type) {
                    case "int": values[i] = numbers.poll(); break;
                    case "long": values[i] = longs.poll(); break;
                    case "String": values[i] = text; break;
                    case "Bundle": values[i] = bundle; break;
                    case "IAccessibilityInteractionConnectionCallback": values[i] = callback; break;
                    default: values[i] = null;
                }
            }
            try {
                method.invoke(window.connection, values);
            } catch (InvocationTargetException e) {
                LogBuffer.error("Accessibility", String.valueOf(e.getCause()));
                return null;
            }
            return window;
        }
        return null;
    }

    private static int fetchFlags() {
        int flags = 0;
        if ((info.flags & AccessibilityServiceInfo.FLAG_INCLUDE_NOT_IMPORTANT_VIEWS) != 0) {
            flags |= nodeFlag("FLAG_SERVICE_REQUESTS_INCLUDE_NOT_IMPORTANT_VIEWS", "FLAG_INCLUDE_NOT_IMPORTANT_VIEWS");
        }
        if ((info.flags & AccessibilityServiceInfo.FLAG_REPORT_VIEW_IDS) != 0) {
            flags |= nodeFlag("FLAG_SERVICE_REQUESTS_REPORT_VIEW_IDS", "FLAG_REPORT_VIEW_IDS");
        }
        if (Device.api() >= 34) flags |= nodeFlag("FLAG_SERVICE_IS_ACCESSIBILITY_TOOL");
        return flags;
    }

    private static int nodeFlag(String... names) {
        for (String name : names) {
            Integer value = Reflect.get(AccessibilityNodeInfo.class, name);
            if (value != null) return value;
        }
        return 0;
    }

    /** Copies an event to the client, which feeds its cache, its idle clock and its waits. */
    static void deliver(AccessibilityEvent event) {
        Object to;
        int id;
        synchronized (LOCK) {
            if (client == null) return;
            to = client;
            id = connectionId;
        }
        AccessibilityEvent copy = AccessibilityEvent.obtain(event);
        Reflect.call(copy, "setConnectionId", id);
        Reflect.call(copy, "setSealed", true);
        try {
            if (Device.api() < 26) Reflect.call(to, "onAccessibilityEvent", copy);
            else Reflect.call(to, "onAccessibilityEvent", copy, true);
        } catch (RuntimeException e) {
            LogBuffer.error("Accessibility", e.toString());
        }
    }

    /** The client serves its cached window list until it hears of a change. */
    public static void windowsChanged() {
        if (client == null) return;
        AccessibilityEvent event = AccessibilityEvent.obtain(AccessibilityEvent.TYPE_WINDOWS_CHANGED);
        event.setEventTime(android.os.SystemClock.uptimeMillis());
        if (Device.api() >= 28) {
            // Added, removed, bounds, layer, active, focused.
            Reflect.set(event, "mWindowChangeTypes", 1 | 2 | 8 | 16 | 32 | 64);
        }
        deliver(event);
    }
}
