package testbed.device.shell;

import android.content.ComponentName;
import android.content.Intent;
import android.content.pm.ActivityInfo;
import android.content.pm.PackageParser;
import java.io.File;
import java.io.FileOutputStream;
import java.io.IOException;
import java.io.InputStream;
import java.io.OutputStream;
import java.util.HashMap;
import java.util.Map;
import testbed.device.LogBuffer;
import testbed.device.MainLoop;
import testbed.device.am.Activities;
import testbed.device.am.Processes;
import testbed.device.pm.App;
import testbed.device.pm.InstallException;
import testbed.device.pm.Packages;

/** pm, which is also `cmd package`. */
final class PackageCommand implements Command {
    private static final Map<Integer, Session> SESSIONS = new HashMap<>();
    private static int nextSession = 1_000_001;

    private static final class Session {
        final Packages.Options options;
        File apk;

        Session(Packages.Options options) {
            this.options = options;
        }
    }

    @Override
    public int run(Call call) throws Exception {
        String verb = call.next();
        if (verb == null) {
            call.out.println("Package manager (package) commands:");
            return 255;
        }
        switch (verb) {
            case "list": return list(call);
            case "path": return path(call);
            case "dump": return DumpCommand.dumpPackage(call, call.required("dump"));
            case "install": return install(call);
            case "install-create": return create(call);
            case "install-write": return write(call);
            case "install-commit": return commit(call);
            case "install-abandon":
                SESSIONS.remove(Integer.valueOf(call.required(verb)));
                call.out.println("Success");
                return 0;
            case "uninstall": return uninstall(call);
            case "clear": return clear(call);
            case "grant":
            case "revoke": return permission(call, verb);
            case "resolve-activity": return resolve(call);
            case "has-feature":
                call.out.println(call.required(verb).equals("android.hardware.touchscreen"));
                return 0;
            case "get-install-location":
                call.out.println("0[auto]");
                return 0;
            default:
                call.out.println("Unknown command: " + verb);
                return 255;
        }
    }

    private int list(Call call) {
        String what = call.next();
        if ("features".equals(what)) {
            for (String each : new String[] {"android.hardware.touchscreen", "android.hardware.screen.portrait", "android.hardware.faketouch"}) call.out.println("feature:" + each);
            return 0;
        }
        if ("instrumentation".equals(what)) {
            for (App app : Packages.all()) {
                for (PackageParser.Instrumentation each : app.parsed.instrumentation) {
                    call.out.println("instrumentation:" + app.packageName + "/" + each.info.name.replace(app.packageName + ".", ".") + " (target=" + each.info.targetPackage + ")");
                }
            }
            return 0;
        }
        if (!"packages".equals(what) && !"package".equals(what)) {
            call.err.println("Error: unknown list type '" + what + "'");
            return 255;
        }
        boolean files = false;
        boolean third = false;
        boolean systemOnly = false;
        boolean version = false;
        boolean uid = false;
        for (String option = call.option(); option != null; option = call.option()) {
            switch (option) {
                case "-f": files = true; break;
                case "-3": third = true; break;
                case "-s": systemOnly = true; break;
                case "-U": uid = true; break;
                case "--show-versioncode": version = true; break;
                case "--user": call.next(); break;
                default:
            }
        }
        String filter = call.next();
        // Options may also follow the filter.
        for (String option = call.option(); option != null; option = call.option()) {
            if (option.equals("--show-versioncode")) version = true;
            if (option.equals("-3")) third = true;
        }
        for (App app : Packages.all()) {
            if (filter != null && !app.packageName.contains(filter) || third && app.system || systemOnly && !app.system) continue;
            call.out.println("package:" + (files ? app.apk + "=" : "") + app.packageName + (version ? " versionCode:" + app.versionCode : "") + (uid ? " uid:" + app.uid : ""));
        }
        return 0;
    }

    private int path(Call call) {
        if ("--user".equals(call.peek())) {
            call.next();
            call.next();
        }
        App app = Packages.get(call.required("path"));
        if (app == null) return 1;
        call.out.println("package:" + app.apk);
        return 0;
    }

    private Packages.Options options(Call call, long[] size) {
        Packages.Options options = new Packages.Options();
        size[0] = -1;
        for (String option = call.option(); option != null; option = call.option()) {
            switch (option) {
                case "-r": options.replace = true; break;
                case "-R": options.replace = false; break;
                case "-d": options.downgrade = true; break;
                case "-t": options.testOnly = true; break;
                case "-g": options.grantAll = true; break;
                case "-i": options.installer = call.next(); break;
                case "-S": size[0] = Long.parseLong(call.required("-S")); break;
                case "--user":
                case "--abi":
                case "--install-location":
                case "--originating-uri":
                case "--referrer":
                case "--install-reason":
                case "--dexopt-compiler-filter": call.next(); break;
                default:
            }
        }
        return options;
    }

    private int install(Call call) throws Exception {
        long[] size = new long[1];
        Packages.Options options = options(call, size);
        String word = call.next();
        if (word != null && !word.equals("-")) return report(call, new File(call.path(word)), options);
        if (size[0] < 0) {
            call.out.println("Error: must either specify a package size or an APK file");
            return 1;
        }
        File file = receive(call, size[0]);
        try {
            return report(call, file, options);
        } finally {
            file.delete();
        }
    }

    private File receive(Call call, long size) throws IOException {
        File file = File.createTempFile("vmdl", ".apk");
        byte[] buffer = new byte[65536];
        InputStream in = call.in();
        try (OutputStream out = new FileOutputStream(file)) {
            for (long left = size; left > 0; ) {
                int read = in.read(buffer, 0, (int) Math.min(left, buffer.length));
                if (read < 0) throw new IOException("the stream ended " + left + " bytes too early");
                out.write(buffer, 0, read);
                left -= read;
            }
        }
        return file;
    }

    private int report(Call call, File file, Packages.Options options) {
        try {
            App app = Packages.install(file, options);
            LogBuffer.add(1, 4, "PackageManager", "installed " + app.packageName + " version " + app.versionCode);
            call.out.println("Success");
            return 0;
        } catch (InstallException e) {
            call.out.println("Failure [" + e.getMessage() + "]");
            return 1;
        }
    }

    private synchronized int create(Call call) {
        int id = nextSession++;
        SESSIONS.put(id, new Session(options(call, new long[1])));
        call.out.println("Success: created install session [" + id + "]");
        return 0;
    }

    private int write(Call call) throws IOException {
        long size = -1;
        for (String option = call.option(); option != null; option = call.option()) if (option.equals("-S")) size = Long.parseLong(call.next());
        Session session = SESSIONS.get(Integer.valueOf(call.required("install-write")));
        String split = call.required("install-write");
        String source = call.next();
        if (session == null) throw new IllegalArgumentException("no such session");
        session.apk = source == null || source.equals("-") ? receive(call, size) : new File(call.path(source));
        call.out.println("Success: streamed " + session.apk.length() + " bytes");
        return 0;
    }

    private int commit(Call call) {
        Session session = SESSIONS.remove(Integer.valueOf(call.required("install-commit")));
        if (session == null || session.apk == null) {
            call.out.println("Failure [INSTALL_FAILED_INVALID_APK: Missing base package]");
            return 1;
        }
        return report(call, session.apk, session.options);
    }

    private int uninstall(Call call) {
        boolean keep = false;
        for (String option = call.option(); option != null; option = call.option()) {
            if (option.equals("-k")) keep = true;
            if (option.equals("--user")) call.next();
        }
        String name = call.required("uninstall");
        boolean known = Packages.get(name) != null;
        if (Packages.uninstall(name, keep)) {
            call.out.println("Success");
            return 0;
        }
        call.out.println("Failure [" + (known ? "DELETE_FAILED_INTERNAL_ERROR" : "DELETE_FAILED_INTERNAL_ERROR") + "]");
        return 1;
    }

    private int clear(Call call) throws IOException {
        for (String option = call.option(); option != null; option = call.option()) if (option.equals("--user")) call.next();
        App app = Packages.get(call.required("clear"));
        if (app == null) {
            call.out.println("Failed");
            return 1;
        }
        Packages.clearData(app);
        call.out.println("Success");
        return 0;
    }

    private int permission(Call call, String verb) {
        for (String option = call.option(); option != null; option = call.option()) if (option.equals("--user")) call.next();
        String name = call.required(verb);
        String permission = call.required(verb);
        App app = Packages.get(name);
        String problem = app == null ? "Unknown package: " + name
                : !app.parsed.requestedPermissions.contains(permission) ? "Package " + name + " has not requested permission " + permission : null;
        if (problem != null) {
            call.err.println();
            call.err.println("Exception occurred while executing '" + verb + "':");
            call.err.println((app == null ? "java.lang.IllegalArgumentException: " : "java.lang.SecurityException: ") + problem);
            return 255;
        }
        if (verb.equals("grant")) app.granted.add(permission);
        // Android ends an app whose permission is taken away.
        else if (app.granted.remove(permission)) Processes.kill(name, "permissions revoked");
        return 0;
    }

    private int resolve(Call call) throws Exception {
        boolean brief = false;
        IntentWords words = new IntentWords();
        while (call.peek() != null) {
            if (call.peek().equals("--brief")) {
                brief = true;
                call.next();
            } else if (call.peek().equals("--components")) {
                brief = true;
                call.next();
            } else if (!words.take(call)) {
                call.next();
            }
        }
        Intent intent = words.intent();
        ActivityInfo info = MainLoop.call(() -> Activities.resolve(intent));
        if (info == null) {
            call.out.println("No activity found");
            return 0;
        }
        String component = new ComponentName(info.packageName, info.name).flattenToShortString();
        if (brief) call.out.println("priority=0 preferredOrder=0 match=0x108000 specificIndex=-1 isDefault=true");
        call.out.println(brief ? component : "name=" + info.name + "\npackageName=" + info.packageName);
        return 0;
    }
}
