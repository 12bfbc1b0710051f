package testbed.device.shell;

import java.util.Collection;
import testbed.device.Device;
import testbed.device.ime.InputMethods;

/** ime list, enable, disable, set, reset. */
final class ImeCommand implements Command {
    @Override
    public int run(Call call) {
        String verb = call.required("ime");
        boolean all = false;
        boolean brief = false;
        for (String option = call.option(); option != null; option = call.option()) {
            if (option.contains("a")) all = true;
            if (option.contains("s") && !option.equals("--user")) brief = true;
            if (option.equals("--user")) call.next();
        }
        String user = Device.api() >= 29 ? " for user #0" : "";
        switch (verb) {
            case "list": {
                Collection<String> ids = all ? InputMethods.known() : InputMethods.enabled();
                for (String id : ids) {
                    call.out.println(brief ? id : id + ":");
                    if (!brief) call.out.println("  mId=" + id + " mSettingsActivityName=null");
                }
                return 0;
            }
            case "enable":
            case "disable": {
                String id = call.required(verb);
                if (!InputMethods.known().contains(id)) {
                    call.err.println("Unknown input method " + id + " cannot be " + verb + "d" + user);
                    return 255;
                }
                boolean already = InputMethods.enabled().contains(id) == verb.equals("enable");
                InputMethods.enable(id, verb.equals("enable"));
                call.out.println("Input method " + id + ": " + (already ? "already " : "now ") + verb + "d" + user);
                return 0;
            }
            case "set": {
                String id = call.required(verb);
                if (!InputMethods.enabled().contains(id)) {
                    call.err.println("Unknown input method " + id + " cannot be selected" + user);
                    return 255;
                }
                InputMethods.select(id);
                call.out.println("Input method " + id + " selected" + user);
                return 0;
            }
            case "reset":
                InputMethods.install();
                InputMethods.select(InputMethods.BUILT_IN);
                call.out.println("Reset current and enabled IMEs" + user);
                return 0;
            default:
                call.err.println("Unknown command: " + verb);
                return 255;
        }
    }
}
