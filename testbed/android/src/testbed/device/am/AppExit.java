package testbed.device.am;

import testbed.device.pm.App;
import testbed.device.pm.AppClassLoader;
import testbed.device.pm.Packages;

/** What an app reaches instead of System.exit and Process.killProcess. */
public final class AppExit {
    private AppExit() {}

    /** Unwinds a thread whose process is gone. */
    public static final class Killed extends Error {
        private static final long serialVersionUID = 1;

        public Killed() {
            super("the process has ended", null, false, false);
        }
    }

    public static void exit(int code) {
        end("exit(" + code + ")");
    }

    public static void exit(Runtime runtime, int code) {
        end("exit(" + code + ")");
    }

    public static void halt(Runtime runtime, int code) {
        end("halt(" + code + ")");
    }

    public static void killProcess(int pid) {
        end("killed itself");
    }

    private static void end(String reason) {
        String owner = callingApp();
        if (owner != null) Processes.kill(owner, reason);
        throw new Killed();
    }

    /** What an app reaches instead of Process.myPid. */
    public static int myPid(int process) {
        AppClassLoader loader = AppThreads.loader(process);
        return loader == null ? 0 : Processes.pid(loader.packageName);
    }

    public static int myUid(int process) {
        AppClassLoader loader = AppThreads.loader(process);
        App app = loader == null ? null : Packages.get(loader.packageName);
        return app == null ? 0 : app.uid;
    }

    /** The app whose code is nearest on the stack. */
    public static String callingApp() {
        AppClassLoader loader = callingLoader();
        return loader == null ? null : loader.packageName;
    }

    static AppClassLoader callingLoader() {
        return StackWalker.getInstance(StackWalker.Option.RETAIN_CLASS_REFERENCE).walk(frames -> frames
                .map(frame -> frame.getDeclaringClass().getClassLoader())
                .filter(AppClassLoader.class::isInstance)
                .map(AppClassLoader.class::cast)
                .findFirst()
                .orElse(null));
    }
}
