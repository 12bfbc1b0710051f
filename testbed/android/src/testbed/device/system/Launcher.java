package testbed.device.system;

import android.os.Bundle;
import android.widget.LinearLayout;

/** The home screen, so that there is always something in front. */
final class Launcher extends SystemScreen {
    Launcher() {
        super(SystemActivities.LAUNCHER);
    }

    @Override
    protected void onCreate(Bundle state) {
        super.onCreate(state);
        LinearLayout column = column();
        text(column, "Home", 24);
        setContentView(column);
    }

    @Override
    @SuppressWarnings("deprecation")
    public void onBackPressed() {
        // There is nothing behind home.
    }
}
