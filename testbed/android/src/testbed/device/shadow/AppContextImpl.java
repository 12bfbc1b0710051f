package testbed.device.shadow;

import org.robolectric.annotation.Implementation;
import org.robolectric.annotation.Implements;
import org.robolectric.annotation.RealObject;
import org.robolectric.shadows.ShadowContextImpl;
import testbed.device.Reflect;
import testbed.device.pm.AppClassLoader;

/** A context's class loader is its package's, so that fragments and custom views of an app are found by name. */
@Implements(className = "android.app.ContextImpl", isInAndroidSdk = false)
public class AppContextImpl extends ShadowContextImpl {
    @RealObject
    private android.content.Context real;

    @Implementation
    protected ClassLoader getClassLoader() {
        Object loaded = Reflect.get(real, "mPackageInfo");
        Object own = loaded == null ? null : Reflect.get(loaded, "mClassLoader");
        return own instanceof AppClassLoader ? (ClassLoader) own : AppContextImpl.class.getClassLoader();
    }
}
