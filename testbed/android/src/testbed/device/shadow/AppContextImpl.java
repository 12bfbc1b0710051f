package testbed.device.shadow;

import android.content.pm.PackageManager;
import android.os.Process;
import org.robolectric.annotation.Implementation;
import org.robolectric.annotation.Implements;
import org.robolectric.annotation.RealObject;
import org.robolectric.shadows.ShadowContextImpl;
import testbed.device.Reflect;
import testbed.device.pm.App;
import testbed.device.pm.AppClassLoader;
import testbed.device.pm.Packages;

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

    /** Each app has its own permissions, though all share a process. */
    @Override
    @Implementation
    protected int checkPermission(String permission, int pid, int uid) {
        App app = Packages.get(real.getPackageName());
        if (app == null || app.system || uid != app.uid && uid != Process.myUid()) return super.checkPermission(permission, pid, uid);
        return app.granted.contains(permission) ? PackageManager.PERMISSION_GRANTED : PackageManager.PERMISSION_DENIED;
    }

    @Override
    @Implementation
    protected int checkCallingOrSelfPermission(String permission) {
        return checkPermission(permission, Process.myPid(), Process.myUid());
    }
}
