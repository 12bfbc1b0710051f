package testbed.device.shadow;

import android.graphics.Bitmap;
import org.robolectric.annotation.Implementation;
import org.robolectric.annotation.Implements;
import testbed.device.wm.Screen;

/** Everything but the picture is the framework's own code, served by UiAutomationServer. */
@Implements(className = "android.app.UiAutomation", isInAndroidSdk = false)
public class RealUiAutomation {
    @Implementation
    protected Bitmap takeScreenshot() {
        return Screen.capture();
    }
}
