package testbed.boot;

import java.util.List;
import java.util.Properties;
import org.robolectric.android.AndroidSdkShadowMatcher;
import org.robolectric.annotation.ResourcesMode;
import org.robolectric.annotation.SQLiteMode;
import org.robolectric.config.AndroidConfigurer;
import org.robolectric.interceptors.AndroidInterceptors;
import org.robolectric.internal.AndroidSandbox;
import org.robolectric.internal.SandboxManager;
import org.robolectric.internal.bytecode.ClassHandlerBuilder;
import org.robolectric.internal.bytecode.InstrumentationConfiguration;
import org.robolectric.internal.bytecode.Interceptors;
import org.robolectric.internal.bytecode.ShadowMap;
import org.robolectric.internal.bytecode.ShadowProviders;
import org.robolectric.pluginapi.Sdk;
import org.robolectric.pluginapi.SdkProvider;
import org.robolectric.util.inject.Injector;

/** Loads the framework of one API level into a sandbox and hands its main thread to the device. */
public final class Main {
    /** 1080 x 2400 pixels. API 23 doesn't know colour qualifiers. */
    private static String screen(int api) {
        return "w360dp-h800dp-normal-long-notround-" + (api >= 26 ? "nowidecg-lowdr-" : "") + "port-notnight-480dpi-finger-keyssoft-nokeys-navhidden-nonav";
    }

    private Main() {}

    public static void main(String[] args) throws Exception {
        int api = Integer.parseInt(args[0]);
        System.setProperty("java.awt.headless", "true");
        ClassLoader loader = Main.class.getClassLoader();
        Injector injector = new Injector.Builder(loader).bind(Properties.class, System.getProperties()).build();

        Sdk sdk = null;
        for (Sdk candidate : injector.getInstance(SdkProvider.class).getSdks()) {
            if (candidate.getApiLevel() == api) sdk = candidate;
        }
        if (sdk == null) throw new IllegalArgumentException("no framework for API " + api);

        Interceptors interceptors = new Interceptors(AndroidInterceptors.all());
        ShadowProviders providers = injector.getInstance(ShadowProviders.class);
        InstrumentationConfiguration.Builder builder = InstrumentationConfiguration.newBuilder();
        injector.getInstance(AndroidConfigurer.class).configure(builder, interceptors);
        builder.doNotAcquirePackage("testbed.boot.").doNotAcquirePackage("com.android.apksig.");

        AndroidSandbox sandbox = injector.getInstance(SandboxManager.SandboxBuilder.class)
                .build(builder.build(), sdk, sdk, ResourcesMode.Mode.BINARY, SQLiteMode.Mode.NATIVE);
        ShadowMap.Builder shadows = providers.getBaseShadowMap().newBuilder();
        for (String name : OwnShadows.names(api)) shadows.addShadowClasses(Class.forName(name, false, loader));
        ShadowMap map = shadows.build();
        sandbox.replaceShadowMap(map);
        sandbox.configure(
                injector.getInstance(ClassHandlerBuilder.class).build(map, new AndroidSdkShadowMatcher(api), interceptors, List.of()),
                interceptors);

        Class<?> device = sandbox.getRobolectricClassLoader().loadClass("testbed.device.Device");
        sandbox.runOnMainThread(() -> {
            Thread.currentThread().setContextClassLoader(sandbox.getRobolectricClassLoader());
            try {
                sandbox.getTestEnvironment().setUpApplicationState("device", new FixedConfiguration(api, screen(api)), new SystemManifest());
                device.getMethod("run", int.class).invoke(null, api);
            } catch (Throwable failure) {
                failure.printStackTrace();
                System.exit(1);
            }
        });
    }
}
