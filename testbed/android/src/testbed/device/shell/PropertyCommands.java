package testbed.device.shell;

import java.util.Map;
import testbed.device.Properties;

/** getprop and setprop. */
final class PropertyCommands {
    private PropertyCommands() {}

    static int getprop(Call call) {
        String name = call.next();
        if (name == null) {
            for (Map.Entry<String, String> each : Properties.all().entrySet()) call.out.println("[" + each.getKey() + "]: [" + each.getValue() + "]");
            return 0;
        }
        String value = Properties.get(name);
        String fallback = call.next();
        call.out.println(value != null ? value : fallback != null ? fallback : "");
        return 0;
    }

    static int setprop(Call call) {
        Properties.set(call.required("setprop"), call.required("setprop"));
        return 0;
    }
}
