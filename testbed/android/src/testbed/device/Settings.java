package testbed.device;

import android.content.ContentResolver;
import java.util.LinkedHashMap;
import java.util.Map;
import java.util.TreeMap;
import org.robolectric.RuntimeEnvironment;

/** The three tables of settings. Writes reach the framework's own copy too, which apps read. */
public final class Settings {
    private static final Map<String, Map<String, String>> TABLES = new LinkedHashMap<>();

    private Settings() {}

    static synchronized void load() {
        for (String name : new String[] {"system", "secure", "global"}) {
            for (String key : TABLES.getOrDefault(name, Map.of()).keySet()) tell(name, key, null);
            TABLES.put(name, new TreeMap<>());
        }
        put("system", "accelerometer_rotation", "1");
        put("system", "user_rotation", "0");
        put("system", "screen_off_timeout", "60000");
        put("system", "font_scale", "1.0");
        put("global", "adb_enabled", "1");
        put("global", "airplane_mode_on", "0");
        put("global", "device_provisioned", "1");
        put("global", "window_animation_scale", "1.0");
        put("global", "transition_animation_scale", "1.0");
        put("global", "animator_duration_scale", "1.0");
        put("secure", "user_setup_complete", "1");
        put("secure", "accessibility_enabled", "0");
        put("secure", "android_id", "7e57bed0" + "7e57bed0");
    }

    public static synchronized boolean has(String table) {
        return TABLES.containsKey(table);
    }

    public static synchronized String get(String table, String key) {
        return TABLES.get(table).get(key);
    }

    public static synchronized void put(String table, String key, String value) {
        TABLES.get(table).put(key, value);
        tell(table, key, value);
    }

    private static void tell(String table, String key, String value) {
        ContentResolver resolver = RuntimeEnvironment.getApplication().getContentResolver();
        switch (table) {
            case "system": android.provider.Settings.System.putString(resolver, key, value); break;
            case "secure": android.provider.Settings.Secure.putString(resolver, key, value); break;
            default: android.provider.Settings.Global.putString(resolver, key, value);
        }
    }

    public static synchronized boolean delete(String table, String key) {
        return TABLES.get(table).remove(key) != null;
    }

    public static synchronized Map<String, String> all(String table) {
        return new TreeMap<>(TABLES.get(table));
    }
}
