package testbed.device.pm;

import android.app.Application;
import android.app.Instrumentation;
import android.content.ComponentName;
import android.content.Context;
import android.content.pm.ApplicationInfo;
import android.content.pm.PackageParser;
import java.io.File;
import java.util.List;
import java.util.Set;
import java.util.concurrent.ConcurrentHashMap;

/** One installed package. */
public final class App {
    public final String packageName;
    public final int uid;
    public final File apk;
    public final File classes;
    public final List<String> signers;
    public final PackageParser.Package parsed;
    public final long versionCode;
    public final String versionName;
    public final int minSdk;
    public final int targetSdk;
    public final boolean system;
    public final Set<String> granted = ConcurrentHashMap.newKeySet();
    public String installer;
    public long firstInstalled;
    public long updated;

    // The running side: what a process of this app has made so far.
    public AppClassLoader loader;
    public Object loadedApk;
    public Context context;
    public Application application;
    public Instrumentation instrumentation;

    App(String packageName, int uid, File apk, File classes, List<String> signers, PackageParser.Package parsed, long versionCode,
            String versionName, int minSdk, int targetSdk, boolean system) {
        this.packageName = packageName;
        this.uid = uid;
        this.apk = apk;
        this.classes = classes;
        this.signers = signers;
        this.parsed = parsed;
        this.versionCode = versionCode;
        this.versionName = versionName;
        this.minSdk = minSdk;
        this.targetSdk = targetSdk;
        this.system = system;
    }

    public ApplicationInfo info() {
        return parsed.applicationInfo;
    }

    /** The name that users see. */
    public String label() {
        try {
            CharSequence label = info().labelRes == 0 ? info().nonLocalizedLabel : context.getResources().getText(info().labelRes);
            return label == null ? packageName : label.toString();
        } catch (RuntimeException e) {
            return packageName;
        }
    }

    public File dataDir() {
        return new File("/data/data/" + packageName);
    }

    public PackageParser.Instrumentation instrumentation(ComponentName component) {
        for (PackageParser.Instrumentation each : parsed.instrumentation) {
            if (each.info.name.equals(component.getClassName())) return each;
        }
        return null;
    }

    public PackageParser.Activity activity(String className) {
        for (PackageParser.Activity each : parsed.activities) if (each.info.name.equals(className)) return each;
        return null;
    }

    /** Forgets what the app's process had. */
    public void forgetProcess() {
        loader = null;
        loadedApk = null;
        context = null;
        application = null;
        instrumentation = null;
    }
}
