package testbed.device.shell;

import java.util.HashMap;
import java.util.Map;
import testbed.device.Faults;
import testbed.device.LogBuffer;
import testbed.device.Reset;

/** Every command by name. */
public final class Commands {
    private static final Map<String, Command> ALL = new HashMap<>();

    static {
        ALL.put("getprop", PropertyCommands::getprop);
        ALL.put("setprop", PropertyCommands::setprop);
        ALL.put("pm", new PackageCommand());
        ALL.put("am", new ActivityCommand());
        ALL.put("cmd", Commands::cmd);
        ALL.put("fault", Faults::run);
        ALL.put("reset", Reset::run);
        ALL.put("input", new InputCommand());
        ALL.put("screencap", ScreenCommands::screencap);
        ALL.put("wm", ScreenCommands::wm);
        ALL.put("dumpsys", new DumpCommand());
        ALL.put("settings", new SettingsCommand());
        ALL.put("clipboard", ClipboardCommand::run);
        ALL.put("ime", new ImeCommand());
        ALL.put("logcat", new LogcatCommand());
        ALL.put("monkey", MonkeyCommand::run);
        ALL.put("uiautomator", new UiautomatorCommand());
        ALL.put("svc", call -> 0);
        ALL.put("appops", call -> 0);
        ALL.put("connectivity", call -> 0);
        ALL.put("device_config", call -> 0);
    }

    private Commands() {}

    public static int run(Call call) {
        Command command = ALL.get(call.name);
        if (command == null) {
            call.err.println("/system/bin/sh: " + call.name + ": inaccessible or not found");
            return 127;
        }
        try {
            return command.run(call);
        } catch (IllegalArgumentException e) {
            call.err.println("Error: " + e.getMessage());
            return 255;
        } catch (Throwable e) {
            java.io.StringWriter trace = new java.io.StringWriter();
            e.printStackTrace(new java.io.PrintWriter(trace));
            LogBuffer.error("Shell", call.name + " " + call.words + ": " + trace);
            call.err.println();
            call.err.println("Exception occurred while executing '" + (call.words.isEmpty() ? call.name : call.words.get(0)) + "':");
            call.err.print(trace);
            return 255;
        }
    }

    /** `cmd SERVICE ...`: the same programs under the names of their services. */
    private static int cmd(Call call) throws Exception {
        String service = call.next();
        if (service == null) {
            call.err.println("cmd: No service specified; use -l to list all running services.");
            return 20;
        }
        String name;
        switch (service) {
            case "package": name = "pm"; break;
            case "activity": name = "am"; break;
            case "settings": name = "settings"; break;
            case "window": name = "wm"; break;
            case "input_method": name = "ime"; break;
            case "input": name = "input"; break;
            case "clipboard": name = "clipboard"; break;
            case "appops": name = "appops"; break;
            case "connectivity": name = "connectivity"; break;
            case "-l":
                call.out.println("Currently running services:");
                for (String each : new String[] {"activity", "appops", "clipboard", "input", "input_method", "package", "settings", "window"}) call.out.println("  " + each);
                return 0;
            default:
                call.err.println("cmd: Can't find service: " + service);
                return 20;
        }
        return run(call.as(name, call.rest()));
    }
}
