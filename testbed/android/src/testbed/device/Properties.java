package testbed.device;

import java.util.Map;
import java.util.TreeMap;

/** What getprop answers. */
public final class Properties {
    private static final Map<String, String> VALUES = new TreeMap<>();

    private Properties() {}

    static synchronized void load() {
        int api = Device.api();
        String release = api == 23 ? "6.0.1" : api == 29 ? "10" : api == 34 ? "14" : api == 36 ? "16" : String.valueOf(api);
        String[] pairs = {
            "ro.build.version.sdk", String.valueOf(api),
            "ro.build.version.release", release,
            "ro.build.version.codename", "REL",
            "ro.build.characteristics", "default",
            "ro.build.fingerprint", "testbed/proving/ground:" + release + "/TB/" + api + ":userdebug/test-keys",
            "ro.build.type", "userdebug",
            "ro.product.manufacturer", "Testbed",
            "ro.product.brand", "testbed",
            "ro.product.model", "Proving Ground",
            "ro.product.name", "proving",
            "ro.product.device", "ground",
            "ro.product.cpu.abi", "x86_64",
            "ro.product.cpu.abilist", "x86_64",
            "ro.kernel.qemu", "0",
            "ro.sf.lcd_density", "480",
            "ro.debuggable", "1",
            "ro.secure", "1",
            "ro.serialno", "TESTBED" + api,
            "ro.boot.serialno", "TESTBED" + api,
            "persist.sys.locale", "en-US",
            "persist.sys.timezone", "UTC",
            "service.adb.tcp.port", "5555",
            "init.svc.adbd", "running",
            "init.svc.bootanim", "stopped",
            "dev.bootcomplete", "1",
        };
        for (int i = 0; i < pairs.length; i += 2) VALUES.put(pairs[i], pairs[i + 1]);
    }

    public static synchronized String get(String name) {
        return VALUES.get(name);
    }

    public static synchronized void set(String name, String value) {
        VALUES.put(name, value);
    }

    public static synchronized Map<String, String> all() {
        return new TreeMap<>(VALUES);
    }
}
