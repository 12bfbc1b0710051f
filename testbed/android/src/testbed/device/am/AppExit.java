package testbed.device.am;

import testbed.device.pm.AppClassLoader;

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

    /** The app whose code is nearest on the stack. */
    static String callingApp() {
        return StackWalker.getInstance(StackWalker.Option.RETAIN_CLASS_REFERENCE).walk(frames -> frames
                .map(frame -> frame.getDeclaringClass().getClassLoader())
                .filter(AppClassLoader.class::isInstance)
                .map(loader -> ((AppClassLoader) loader).packageName)
                .findFirst()
                .orElse(null));
    }
}
