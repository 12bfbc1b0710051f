package testbed.device.ime;

import android.view.KeyEvent;

/** Input methods: which is current and whether it shows. */
public final class InputMethods {
    private InputMethods() {}

    public static void tick() {}

    public static boolean takesKey(KeyEvent event) {
        return false;
    }

    public static void processDied(String packageName) {}
}
