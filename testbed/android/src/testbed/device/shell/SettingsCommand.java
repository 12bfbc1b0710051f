package testbed.device.shell;

import java.util.Map;
import testbed.device.Settings;
import testbed.device.ime.InputMethods;
import testbed.device.wm.Screen;

/** settings get, put, delete, list. */
final class SettingsCommand implements Command {
    @Override
    public int run(Call call) {
        if ("--user".equals(call.peek())) {
            call.next();
            call.next();
        }
        String verb = call.required("settings");
        if ("--user".equals(call.peek())) {
            call.next();
            call.next();
        }
        String table = call.next();
        if (table == null || !Settings.has(table)) throw new IllegalArgumentException("Invalid namespace '" + table + "'");
        switch (verb) {
            case "get": {
                String value = Settings.get(table, call.required(verb));
                call.out.println(value == null ? "null" : value);
                return 0;
            }
            case "put": {
                String key = call.required(verb);
                String value = call.required(verb);
                Settings.put(table, key, value);
                changed(table, key, value);
                return 0;
            }
            case "delete":
                call.out.println("Deleted " + (Settings.delete(table, call.required(verb)) ? 1 : 0) + " rows");
                return 0;
            case "list":
                for (Map.Entry<String, String> each : Settings.all(table).entrySet()) call.out.println(each.getKey() + "=" + each.getValue());
                return 0;
            default:
                call.err.println("Unknown command: " + verb);
                return 255;
        }
    }

    /** Some settings are orders. */
    private static void changed(String table, String key, String value) {
        if (table.equals("system") && (key.equals("user_rotation") || key.equals("accelerometer_rotation"))) Screen.followSettings();
        if (table.equals("secure") && key.equals("default_input_method")) InputMethods.select(value);
    }
}
