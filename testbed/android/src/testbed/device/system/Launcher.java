package testbed.device.system;

import android.app.Activity;
import android.os.Bundle;
import android.widget.LinearLayout;
import android.widget.TextView;

/** The home screen: a real activity, so that there is always something in front. */
public final class Launcher extends Activity {
    public static final String PACKAGE = "com.android.launcher3";
    public static final String CLASS = "com.android.launcher3.Launcher";

    @Override
    protected void onCreate(Bundle state) {
        super.onCreate(state);
        LinearLayout column = new LinearLayout(this);
        column.setOrientation(LinearLayout.VERTICAL);
        TextView title = new TextView(this);
        title.setText("Home");
        title.setTextSize(24);
        title.setPadding(48, 96, 48, 48);
        column.addView(title);
        setContentView(column);
    }

    @Override
    public String getPackageName() {
        return PACKAGE;
    }

    @Override
    @SuppressWarnings("deprecation")
    public void onBackPressed() {
        // There is nothing behind home.
    }
}
