package testbed.device.pm;

import java.io.File;
import java.io.IOException;
import java.io.InputStream;
import java.net.MalformedURLException;
import java.net.URL;
import java.net.URLClassLoader;
import testbed.device.am.AppThreads;

/** One per app, as on a phone: the boot class path first, then the app's own classes, never another app's. */
public final class AppClassLoader extends URLClassLoader {
    private static final String[] BOOT = {
        "java.", "javax.", "android.", "com.android.internal.", "dalvik.", "libcore.", "org.json.", "org.xmlpull.", "org.w3c.", "org.xml.",
        "sun.", "jdk.", "org.robolectric.", "testbed.device.am.",
    };

    public final String packageName;
    /** The number of the process whose code this is. */
    public final int process;

    public AppClassLoader(String packageName, File jar) {
        super(jar == null ? new URL[0] : new URL[] {url(jar)}, AppClassLoader.class.getClassLoader());
        this.packageName = packageName;
        process = AppThreads.register(this);
    }

    private static URL url(File file) {
        try {
            return file.toURI().toURL();
        } catch (MalformedURLException e) {
            throw new IllegalStateException(e);
        }
    }

    /** Whether a class of this name came from this app. */
    public boolean owns(String className) {
        Class<?> loaded = findLoadedClass(className);
        return loaded != null && loaded.getClassLoader() == this;
    }

    @Override
    protected Class<?> loadClass(String name, boolean resolve) throws ClassNotFoundException {
        for (String prefix : BOOT) {
            if (name.startsWith(prefix) && !name.startsWith("android.support.") && !name.startsWith("android.arch.")) return super.loadClass(name, resolve);
        }
        synchronized (getClassLoadingLock(name)) {
            Class<?> loaded = findLoadedClass(name);
            if (loaded == null) {
                try {
                    loaded = findClass(name);
                } catch (ClassNotFoundException e) {
                    // Not in the app: org.apache.http and other parts of the boot class path.
                    return super.loadClass(name, resolve);
                }
            }
            if (resolve) resolveClass(loaded);
            return loaded;
        }
    }

    @Override
    protected Class<?> findClass(String name) throws ClassNotFoundException {
        try (InputStream in = name.startsWith("java.") ? null : super.findResource(name.replace('.', '/') + ".class") == null ? null
                : super.findResource(name.replace('.', '/') + ".class").openStream()) {
            if (in == null) throw new ClassNotFoundException(name);
            byte[] bytes = AppCode.rewrite(in.readAllBytes(), process);
            return defineClass(name, bytes, 0, bytes.length);
        } catch (IOException e) {
            throw new ClassNotFoundException(name, e);
        }
    }
}
