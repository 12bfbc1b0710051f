package testbed.device.shell;

import android.content.ComponentName;
import android.content.Intent;
import android.content.pm.ActivityInfo;
import android.os.Bundle;
import testbed.device.Clock;
import testbed.device.MainLoop;
import testbed.device.am.Activities;
import testbed.device.am.Broadcasts;
import testbed.device.am.Instruments;
import testbed.device.am.Processes;
import testbed.device.pm.App;
import testbed.device.pm.Packages;

/** am, which is also `cmd activity`. */
final class ActivityCommand implements Command {
    @Override
    public int run(Call call) throws Exception {
        String verb = call.next();
        if (verb == null) {
            call.out.println("Activity manager (activity) commands:");
            return 255;
        }
        switch (verb) {
            case "start":
            case "start-activity": return start(call);
            case "instrument": return instrument(call);
            case "broadcast": return broadcast(call);
            case "force-stop":
            case "kill":
            case "crash": {
                for (String option = call.option(); option != null; option = call.option()) if (option.equals("--user")) call.next();
                Processes.kill(call.required(verb), verb.equals("force-stop") ? "stop " + call.words.get(call.words.size() - 1) + " due to from pid 1" : verb);
                return 0;
            }
            case "kill-all": return 0;
            case "get-current-user":
                call.out.println("0");
                return 0;
            case "wait-for-broadcast-idle":
                MainLoop.awaitIdle(10_000);
                call.out.println("All broadcast queues are idle!");
                return 0;
            default:
                call.err.println("Unknown command: " + verb);
                return 255;
        }
    }

    private int start(Call call) throws Exception {
        IntentWords words = new IntentWords();
        boolean wait = false;
        boolean stop = false;
        int repeat = 1;
        while (call.peek() != null) {
            String word = call.peek();
            switch (word) {
                case "-W": call.next(); wait = true; break;
                case "-S": call.next(); stop = true; break;
                case "-D": case "-N": call.next(); break;
                case "--user": case "--display": case "-P": case "--windowingMode": call.next(); call.next(); break;
                case "-R": call.next(); repeat = Integer.parseInt(call.required(word)); break;
                default:
                    if (!words.take(call)) throw new IllegalArgumentException("Unknown option: " + word);
            }
        }
        Intent intent = words.intent();
        intent.addFlags(Intent.FLAG_ACTIVITY_NEW_TASK);
        Intent shown = new Intent(intent);
        shown.setFlags(0);
        if (stop) {
            String name = intent.getComponent() != null ? intent.getComponent().getPackageName() : intent.getPackage();
            if (name != null) {
                call.out.println("Stopping: " + name);
                Processes.kill(name, "stop");
            }
        }
        call.out.println("Starting: Intent { " + Activities.describe(shown) + " }");
        call.flush();
        ActivityInfo info = MainLoop.call(() -> Activities.resolve(intent));
        if (info == null) {
            if (intent.getComponent() != null) {
                call.err.println("Error type 3");
                call.err.println("Error: Activity class {" + intent.getComponent().flattenToShortString() + "} does not exist.");
            } else {
                call.err.println("Error: Activity not started, unable to resolve " + intent);
            }
            return 1;
        }
        if (!info.exported) {
            call.err.println();
            call.err.println("Exception occurred while executing 'start':");
            call.err.println("java.lang.SecurityException: Permission Denial: starting Intent { " + Activities.describe(intent) + " } from null (pid=1, uid=2000) not exported from uid "
                    + Packages.get(info.packageName).uid);
            return 255;
        }
        boolean cold = !Processes.isRunning(info.packageName);
        long began = Clock.now();
        Activities.Record before = Activities.resumed();
        Activities.Record record;
        try {
            record = MainLoop.call(() -> Activities.launch(intent, info, null, null, -1));
        } catch (RuntimeException e) {
            // The app broke while it started: am itself still says ok, the crash is in the log.
            testbed.device.am.Crashes.onMainThread(e);
            record = null;
        }
        boolean front = record != null && (record == before || record.intent != intent);
        if (front) call.err.println(record == before
                ? "Warning: Activity not started, intent has been delivered to currently running top-most instance."
                : "Warning: Activity not started, its current task has been brought to the front");
        if (!wait) return 0;
        boolean drawn = record == null || Activities.awaitDrawn(record, 10_000);
        long total = Clock.now() - began;
        call.out.println("Status: " + (drawn ? "ok" : "timeout"));
        call.out.println("LaunchState: " + (front ? record == before ? "UNKNOWN (0)" : "HOT" : cold ? "COLD" : "WARM"));
        call.out.println("Activity: " + new ComponentName(info.packageName, info.name).flattenToShortString());
        call.out.println("TotalTime: " + (front ? 0 : total));
        call.out.println("WaitTime: " + (total + 2));
        call.out.println("Complete");
        return 0;
    }

    private int instrument(Call call) throws Exception {
        Bundle arguments = new Bundle();
        boolean raw = false;
        boolean wait = false;
        String component = null;
        while (call.peek() != null) {
            String word = call.next();
            switch (word) {
                case "-r": raw = true; break;
                case "-w": wait = true; break;
                case "-m": case "--no-window-animation": case "--no-hidden-api-checks": case "--no-test-api-access": case "--no-isolated-storage": case "--no-restart": break;
                case "-p": case "-f": case "--user": case "--abi": call.next(); break;
                case "-e": {
                    String key = call.required(word);
                    arguments.putString(key, call.required(word));
                    break;
                }
                default:
                    if (word.startsWith("-")) throw new IllegalArgumentException("Unknown option: " + word);
                    component = word;
            }
        }
        if (component == null) throw new IllegalArgumentException("Argument expected after \"instrument\"");
        ComponentName name = ComponentName.unflattenFromString(component);
        if (name == null) {
            App app = Packages.get(component);
            if (app == null || app.parsed.instrumentation.isEmpty()) throw new IllegalArgumentException("Bad component name: " + component);
            name = new ComponentName(component, app.parsed.instrumentation.get(0).info.name);
        }
        return Instruments.start(call, name, arguments, raw, wait);
    }

    private int broadcast(Call call) throws Exception {
        IntentWords words = new IntentWords();
        while (call.peek() != null) {
            String word = call.peek();
            if (word.equals("--user") || word.equals("--receiver-permission")) {
                call.next();
                call.next();
            } else if (!words.take(call)) {
                throw new IllegalArgumentException("Unknown option: " + word);
            }
        }
        return Broadcasts.send(call, words.intent());
    }
}
