package testbed.device.system;

import android.os.Bundle;
import android.widget.LinearLayout;

/** An app of the system's that comes to the front of others. */
final class SettingsScreen extends SystemScreen {
    SettingsScreen() {
        super(SystemActivities.SETTINGS);
    }

    @Override
    protected void onCreate(Bundle state) {
        super.onCreate(state);
        LinearLayout column = column();
        named(text(column, "Settings", 24), "homepage_title");
        for (String row : new String[] {"Network & internet", "Connected devices", "Apps", "Notifications", "Battery", "Display"}) {
            text(column, row, 18).setPadding(0, 36, 0, 36);
        }
        setContentView(column);
    }
}
