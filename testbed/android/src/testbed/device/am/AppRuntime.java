package testbed.device.am;

import android.app.ActivityThread;
import android.app.Application;
import android.content.ContentProvider;
import android.content.Context;
import android.content.pm.ApplicationInfo;
import android.content.pm.PackageParser;
import java.util.Map;
import org.robolectric.RuntimeEnvironment;
import org.robolectric.shadow.api.Shadow;
import org.robolectric.shadows.ShadowApplication;
import org.robolectric.shadows.ShadowContentResolver;
import testbed.device.Device;
import testbed.device.Reflect;
import testbed.device.pm.App;
import testbed.device.pm.AppClassLoader;

/** What ActivityThread does when an app's process starts: class loader, resources, Application, providers. */
public final class AppRuntime {
    private static final int INCLUDE_CODE_IGNORE_SECURITY = 3;

    private AppRuntime() {}

    public static ActivityThread thread() {
        return (ActivityThread) RuntimeEnvironment.getActivityThread();
    }

    /** The process counts as this app's: an activity group loads more of its code. */
    static void bind(App app) {
        Object bound = Reflect.get(thread(), "mBoundApplication");
        ApplicationInfo info = bound == null ? null : Reflect.get(bound, "appInfo");
        if (info != null && !app.system) info.uid = app.uid;
    }

    /** The context of a package's own, whether or not it runs. */
    public static Context context(App app) throws Exception {
        if (app.context != null) return app.context;
        Processes.start(app);
        ApplicationInfo info = app.info();
        Map<?, ?> cached = Reflect.get(thread(), "mPackages");
        cached.remove(app.packageName);
        app.loader = new AppClassLoader(app.packageName, app.classes);
        Object loaded = Reflect.call(thread(), "getPackageInfo", info, null, INCLUDE_CODE_IGNORE_SECURITY);
        Reflect.set(loaded, "mClassLoader", app.loader);
        Reflect.set(loaded, "mDefaultClassLoader", app.loader);
        if (Device.api() >= 28) Reflect.set(loaded, "mAppComponentFactory", factory(app));
        app.loadedApk = loaded;
        app.context = Reflect.call(Reflect.type("android.app.ContextImpl"), "createAppContext", thread(), loaded);
        return app.context;
    }

    private static Object factory(App app) throws Exception {
        String name = Reflect.get(app.info(), "appComponentFactory");
        try {
            if (name != null) return app.loader.loadClass(name).getDeclaredConstructor().newInstance();
        } catch (ReflectiveOperationException e) {
            // As on a phone: an absent factory is the default one.
        }
        return Reflect.type("android.app.AppComponentFactory").getDeclaredConstructor().newInstance();
    }

    /** Starts the app's process for something other than an activity. */
    public static void ensure(App app) throws Exception {
        application(app);
    }

    /** The app's Application, made and told of its creation. */
    static Application application(App app) throws Exception {
        if (app.system) return RuntimeEnvironment.getApplication();
        if (app.application != null) return app.application;
        Application application = create(app);
        thread().getInstrumentation().callApplicationOnCreate(application);
        return application;
    }

    /** As application(), but the caller owes the onCreate. */
    static Application create(App app) throws Exception {
        Context context = context(app);
        String name = app.info().className;
        Application application = (Application) app.loader.loadClass(name == null ? "android.app.Application" : name).getDeclaredConstructor().newInstance();
        ShadowApplication shadow = Shadow.extract(application);
        shadow.callAttach(context);
        Reflect.call(context, "setOuterContext", application);
        Reflect.set(app.loadedApk, "mApplication", application);
        app.application = application;
        for (PackageParser.Provider each : app.parsed.providers) {
            if (each.info.authority == null) continue;
            try {
                ContentProvider provider = (ContentProvider) app.loader.loadClass(each.info.name).getDeclaredConstructor().newInstance();
                provider.attachInfo(application, each.info);
                for (String authority : each.info.authority.split(";")) ShadowContentResolver.registerProviderInternal(authority, provider);
            } catch (ClassNotFoundException e) {
                testbed.device.LogBuffer.error("ActivityThread", "no provider class " + each.info.name);
            }
        }
        return application;
    }
}
