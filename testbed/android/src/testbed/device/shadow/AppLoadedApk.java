package testbed.device.shadow;

import android.app.LoadedApk;
import org.robolectric.annotation.Implementation;
import org.robolectric.annotation.Implements;
import org.robolectric.annotation.RealObject;
import org.robolectric.shadows.ShadowLoadedApk;
import testbed.device.Reflect;
import testbed.device.pm.AppClassLoader;

/** An app's classes come from its own translated dex. */
@Implements(className = "android.app.LoadedApk", isInAndroidSdk = false)
public class AppLoadedApk extends ShadowLoadedApk {
    @RealObject
    private LoadedApk real;

    @Override
    @Implementation
    public ClassLoader getClassLoader() {
        Object own = Reflect.get(real, "mClassLoader");
        return own instanceof AppClassLoader ? (ClassLoader) own : super.getClassLoader();
    }

    @Override
    @Implementation(minSdk = 26)
    public ClassLoader getSplitClassLoader(String split) {
        return getClassLoader();
    }
}
