package testbed.device.pm;

import android.content.pm.PackageParser;
import java.io.File;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.StandardCopyOption;
import java.util.ArrayList;
import java.util.Comparator;
import java.util.List;
import java.util.Map;
import java.util.TreeMap;
import java.util.UUID;
import java.util.stream.Stream;
import org.robolectric.RuntimeEnvironment;
import org.robolectric.Shadows;
import org.robolectric.shadows.ShadowPackageManager;
import org.robolectric.shadows.ShadowPackageParser;
import testbed.boot.RealTime;
import testbed.device.Device;
import testbed.device.MainLoop;
import testbed.device.Reflect;
import testbed.device.am.Processes;
import testbed.device.system.SystemActivities;

/** The installed packages, and what may be installed over what. */
public final class Packages {
    private static final Map<String, App> APPS = new TreeMap<>();
    private static final Map<String, Integer> UIDS = new TreeMap<>();
    private static String refusal;

    /** What `pm install` was asked for. */
    public static final class Options {
        public boolean replace = true;
        public boolean downgrade;
        public boolean testOnly;
        public boolean grantAll;
        public String installer;
    }

    private Packages() {}

    public static void load() throws IOException {
        Files.createDirectories(Path.of("/data/app"));
        Files.createDirectories(Path.of("/data/data"));
        Files.createDirectories(Path.of("/data/user"));
        Path zero = Path.of("/data/user/0");
        if (!Files.exists(zero)) Files.createSymbolicLink(zero, Path.of("/data/data"));
        for (String name : new String[] {"android", "com.android.shell", "com.android.systemui", "com.android.settings", "com.android.launcher3", SystemActivities.permissionController()}) {
            APPS.put(name, new App(name, name.equals("com.android.shell") ? 2000 : 1000, new File("/system/framework/framework-res.apk"), null,
                    List.of("platform"), new PackageParser.Package(name), Device.api(), String.valueOf(Device.api()), Device.api(), Device.api(), true));
        }
        renameSelf("com.android.launcher3");
        // The shell holds it; broadcasts from there are sent in this process' name.
        Shadows.shadowOf(RuntimeEnvironment.getApplication()).grantPermissions("android.permission.WRITE_SECURE_SETTINGS");
    }

    /** The device process itself appears as the launcher, whose screen it shows. */
    private static void renameSelf(String name) {
        android.app.Application self = RuntimeEnvironment.getApplication();
        android.content.pm.PackageInfo info = new android.content.pm.PackageInfo();
        info.packageName = name;
        info.applicationInfo = new android.content.pm.ApplicationInfo(self.getApplicationInfo());
        info.applicationInfo.packageName = name;
        shadow().installPackage(info);
        Object base = self.getBaseContext();
        Object loaded = Reflect.get(base, "mPackageInfo");
        Reflect.set(loaded, "mPackageName", name);
        Reflect.set(base, "mBasePackageName", name);
        Reflect.set(base, "mOpPackageName", name);
    }

    public static synchronized App get(String name) {
        return APPS.get(name);
    }

    public static synchronized List<App> all() {
        return new ArrayList<>(APPS.values());
    }

    /** From now on every install fails with this reason; null = installs work again. */
    public static synchronized void refuse(String reason) {
        refusal = reason;
    }

    public static App install(File source, Options options) throws InstallException {
        synchronized (Packages.class) {
            if (refusal != null) throw new InstallException(refusal, refusal.equals("INSTALL_FAILED_USER_RESTRICTED") ? "Install canceled by user" : "set by a fault");
        }
        if (!source.exists()) throw new InstallException("INSTALL_FAILED_INVALID_URI", null);
        List<String> signers = ApkSignatures.verify(source, Device.api());
        File classes = DexTranslator.translate(source);
        try {
            File directory = new File("/data/app/~~" + random() + "/pending");
            Files.createDirectories(directory.toPath());
            File apk = new File(directory, "base.apk");
            Files.copy(source.toPath(), apk.toPath(), StandardCopyOption.REPLACE_EXISTING);
            try {
                return MainLoop.call(() -> finish(apk, classes, signers, options), 120_000);
            } catch (IllegalStateException e) {
                wipe(directory.getParentFile());
                if (e.getCause() instanceof InstallException) throw (InstallException) e.getCause();
                throw e;
            }
        } catch (IOException e) {
            throw new InstallException("INSTALL_FAILED_INSUFFICIENT_STORAGE", e.getMessage());
        }
    }

    private static App finish(File pending, File classes, List<String> signers, Options options) throws Exception {
        PackageParser.Package parsed;
        try {
            parsed = ShadowPackageParser.callParsePackage(pending.toPath());
        } catch (RuntimeException e) {
            Throwable cause = e;
            while (cause.getCause() != null) cause = cause.getCause();
            String text = String.valueOf(cause.getMessage());
            // The framework's own check, which answers in words.
            if (text.contains("sdk version")) throw new InstallException("INSTALL_FAILED_OLDER_SDK", "Failed parse during installPackageLI: " + text);
            throw new InstallException("INSTALL_PARSE_FAILED_UNEXPECTED_EXCEPTION", "Failed parse during installPackageLI: " + text);
        }
        String name = parsed.packageName;
        int target = parsed.applicationInfo.targetSdkVersion;
        Integer min = Reflect.get(parsed.applicationInfo, "minSdkVersion");
        int minSdk = Device.api() >= 24 && min != null ? min : ApkFacts.minSdk(pending);
        if (minSdk > Device.api()) {
            throw new InstallException("INSTALL_FAILED_OLDER_SDK", "Failed parse during installPackageLI: Requires newer sdk version #" + minSdk + " (current version is #" + Device.api() + ")");
        }
        if (Device.api() >= 34 && target < 23) {
            throw new InstallException("INSTALL_FAILED_DEPRECATED_SDK_VERSION", "App package must target at least SDK version 23, but found " + target);
        }
        if ((parsed.applicationInfo.flags & android.content.pm.ApplicationInfo.FLAG_TEST_ONLY) != 0 && !options.testOnly) {
            throw new InstallException("INSTALL_FAILED_TEST_ONLY", "Failed to install test-only apk. Did you forget to add -t?");
        }
        long version = Device.api() >= 28 ? Reflect.<Long>call(parsed, "getLongVersionCode") : Reflect.<Integer>get(parsed, "mVersionCode");
        App old = get(name);
        if (old != null) {
            if (!options.replace) throw new InstallException("INSTALL_FAILED_ALREADY_EXISTS", "Attempt to re-install " + name + " without first uninstalling.");
            if (!old.signers.equals(signers)) {
                throw new InstallException("INSTALL_FAILED_UPDATE_INCOMPATIBLE", Device.api() >= 34
                        ? "Existing package " + name + " signatures do not match newer version; ignoring!"
                        : "Package " + name + " signatures do not match previously installed version; ignoring!");
            }
            if (version < old.versionCode && !options.downgrade) {
                throw new InstallException("INSTALL_FAILED_VERSION_DOWNGRADE", "Downgrade detected: Update version code " + version + " is older than current " + old.versionCode);
            }
        }

        File directory = new File(pending.getParentFile().getParentFile(), name + "-" + random());
        if (!pending.getParentFile().renameTo(directory)) throw new InstallException("INSTALL_FAILED_INSUFFICIENT_STORAGE", null);
        File apk = new File(directory, "base.apk");
        int uid;
        synchronized (Packages.class) {
            uid = UIDS.computeIfAbsent(name, key -> 10100 + UIDS.size());
        }
        App app = new App(name, uid, apk, classes, signers, parsed, version, parsed.mVersionName, minSdk, target, false);
        app.firstInstalled = old == null ? RealTime.wallMillis() : old.firstInstalled;
        app.updated = RealTime.wallMillis();
        app.installer = options.installer;
        if (options.grantAll || target < 23) app.granted.addAll(parsed.requestedPermissions);
        else if (old != null) app.granted.addAll(old.granted);
        for (String permission : parsed.requestedPermissions) if (isNormal(permission)) app.granted.add(permission);

        if (old != null) {
            Processes.kill(name, "replaced");
            shadow().deletePackage(name);
            wipe(old.apk.getParentFile().getParentFile());
        }
        prepare(app);
        Reflect.call(shadow(), "addPackageInternal", parsed);
        // The framework's copy of the facts is made anew, so set them there too.
        android.content.pm.ApplicationInfo known = shadow().getInternalMutablePackageInfo(name).applicationInfo;
        describe(app, known);
        for (android.content.pm.ComponentInfo each : components(name)) describe(app, each.applicationInfo);
        synchronized (Packages.class) {
            APPS.put(name, app);
        }
        return app;
    }

    private static List<android.content.pm.ComponentInfo> components(String name) {
        android.content.pm.PackageInfo info = shadow().getInternalMutablePackageInfo(name);
        List<android.content.pm.ComponentInfo> all = new ArrayList<>();
        for (android.content.pm.ComponentInfo[] each : new android.content.pm.ComponentInfo[][] {info.activities, info.services, info.providers, info.receivers}) {
            if (each != null) all.addAll(List.of(each));
        }
        return all;
    }

    private static void prepare(App app) throws IOException {
        describe(app, app.info());
        Files.createDirectories(app.dataDir().toPath().resolve("files"));
        Files.createDirectories(app.dataDir().toPath().resolve("cache"));
    }

    private static void describe(App app, android.content.pm.ApplicationInfo info) {
        info.sourceDir = app.apk.getPath();
        info.publicSourceDir = app.apk.getPath();
        info.uid = app.uid;
        info.dataDir = "/data/user/0/" + app.packageName;
        info.targetSdkVersion = app.targetSdk;
        info.enabled = true;
        if (info.processName == null) info.processName = app.packageName;
        if (Device.api() >= 24) {
            Reflect.set(info, "credentialProtectedDataDir", info.dataDir);
            Reflect.set(info, "deviceProtectedDataDir", "/data/user_de/0/" + app.packageName);
        }
    }

    private static boolean isNormal(String permission) {
        return permission.matches("android\\.permission\\.(INTERNET|ACCESS_NETWORK_STATE|ACCESS_WIFI_STATE|VIBRATE|WAKE_LOCK|FOREGROUND_SERVICE|SET_WALLPAPER|NFC|RECEIVE_BOOT_COMPLETED|QUERY_ALL_PACKAGES|EXPAND_STATUS_BAR|REORDER_TASKS|USE_FINGERPRINT|USE_BIOMETRIC|BLUETOOTH|BLUETOOTH_ADMIN|CHANGE_WIFI_STATE|CHANGE_NETWORK_STATE)");
    }

    public static boolean uninstall(String name, boolean keepData) {
        App app = get(name);
        if (app == null || app.system) return false;
        Processes.kill(name, "uninstalled");
        MainLoop.run(() -> shadow().deletePackage(name));
        synchronized (Packages.class) {
            APPS.remove(name);
        }
        wipe(app.apk.getParentFile().getParentFile());
        if (!keepData) wipe(app.dataDir());
        return true;
    }

    /** Only what the device came with. */
    public static void reset() {
        for (App app : all()) uninstall(app.packageName, false);
        synchronized (Packages.class) {
            UIDS.clear();
        }
    }

    public static void clearData(App app) throws IOException {
        Processes.kill(app.packageName, "cleared");
        wipe(app.dataDir());
        prepare(app);
    }

    static ShadowPackageManager shadow() {
        return Shadows.shadowOf(RuntimeEnvironment.getApplication().getPackageManager());
    }

    private static String random() {
        return UUID.randomUUID().toString().replace("-", "").substring(0, 22) + "==";
    }

    static void wipe(File directory) {
        try (Stream<Path> paths = Files.walk(directory.toPath())) {
            paths.sorted(Comparator.reverseOrder()).forEach(path -> path.toFile().delete());
        } catch (IOException e) {
            // It was not there.
        }
    }
}
