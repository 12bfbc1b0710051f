package testbed.probe;

import android.app.Activity;
import android.os.Bundle;
import android.view.View;
import android.view.WindowManager;

/** Red, but not in a picture of the screen. */
public final class SecretActivity extends Activity {
    @Override
    protected void onCreate(Bundle state) {
        super.onCreate(state);
        if (!getIntent().getBooleanExtra("open", false)) getWindow().addFlags(WindowManager.LayoutParams.FLAG_SECURE);
        View view = new View(this);
        view.setBackgroundColor(0xffff0000);
        setContentView(view);
    }
}
