package testbed.device.a11y;

import android.os.IBinder;
import android.view.accessibility.AccessibilityEvent;
import android.view.accessibility.AccessibilityManager;
import java.util.Map;
import java.util.concurrent.ConcurrentHashMap;
import org.robolectric.RuntimeEnvironment;
import org.robolectric.Shadows;
import testbed.device.Device;
import testbed.device.Reflect;

/** Plays IAccessibilityManager: windows register their own interaction connections here, events go to the automation client. */
public final class AccessibilityServer {
    /** The framework's word for "no window". */
    public static final int NO_WINDOW = -1;

    private static final Map<IBinder, Registered> WINDOWS = new ConcurrentHashMap<>();
    private static int nextWindowId = 1;

    /** One window's way to be asked. */
    public static final class Registered {
        public final int id;
        public final Object connection;
        public final String packageName;

        Registered(int id, Object connection, String packageName) {
            this.id = id;
            this.connection = connection;
            this.packageName = packageName;
        }
    }

    private AccessibilityServer() {}

    public static void install() {
        Object service = Reflect.play("android.view.accessibility.IAccessibilityManager", AccessibilityServer::answer);
        AccessibilityManager manager = (AccessibilityManager) RuntimeEnvironment.getApplication().getSystemService("accessibility");
        AccessibilityManager single = AccessibilityManager.getInstance(RuntimeEnvironment.getApplication());
        for (AccessibilityManager each : new AccessibilityManager[] {manager, single}) {
            Reflect.set(each, "mService", service);
            Reflect.set(each, "mRelevantEventTypes", AccessibilityEvent.TYPES_ALL_MASK);
            Reflect.set(each, "mIsEnabled", true);
            // Without it, list rows built before the first query are not clickable.
            Shadows.shadowOf(each).setEnabled(true);
        }
    }

    private static Object answer(String method, Object[] arguments) throws Exception {
        switch (method) {
            case "addAccessibilityInteractionConnection": {
                IBinder window = ((android.os.IInterface) arguments[0]).asBinder();
                Object connection = null;
                String owner = null;
                Class<?> type = Reflect.type("android.view.accessibility.IAccessibilityInteractionConnection");
                for (Object argument : arguments) {
                    if (type.isInstance(argument)) connection = argument;
                    if (argument instanceof String) owner = (String) argument;
                }
                int id = nextId();
                WINDOWS.put(window, new Registered(id, connection, owner));
                return id;
            }
            case "removeAccessibilityInteractionConnection":
                WINDOWS.remove(((android.os.IInterface) arguments[0]).asBinder());
                return Reflect.UNKNOWN;
            case "sendAccessibilityEvent":
                UiAutomationServer.deliver((AccessibilityEvent) arguments[0]);
                return Device.api() < 26 ? Boolean.TRUE : Reflect.UNKNOWN;
            case "addClient":
                return Device.api() < 26 ? (Object) Integer.valueOf(1) : Long.valueOf(1L | (long) AccessibilityEvent.TYPES_ALL_MASK << 32);
            default:
                return Reflect.UNKNOWN;
        }
    }

    private static synchronized int nextId() {
        return nextWindowId++;
    }

    public static Registered of(IBinder window) {
        return WINDOWS.get(window);
    }

    static Registered byId(int id) {
        for (Registered registered : WINDOWS.values()) if (registered.id == id) return registered;
        return null;
    }
}
