package testbed.device.shell;

import android.content.Intent;
import android.content.pm.ActivityInfo;
import testbed.device.MainLoop;
import testbed.device.am.Activities;

/** monkey as it is used to start an app: one event for one package. */
final class MonkeyCommand {
    private MonkeyCommand() {}

    static int run(Call call) {
        String name = null;
        String category = Intent.CATEGORY_LAUNCHER;
        for (String word = call.next(); word != null; word = call.next()) {
            if (word.equals("-p")) name = call.required(word);
            if (word.equals("-c")) category = call.required(word);
        }
        Intent intent = new Intent(Intent.ACTION_MAIN).addCategory(category).setPackage(name).addFlags(Intent.FLAG_ACTIVITY_NEW_TASK);
        ActivityInfo info = name == null ? null : MainLoop.call(() -> Activities.resolve(intent));
        call.out.println("  bash arg: -p");
        call.out.println("  bash arg: " + name);
        if (info == null) {
            call.out.println("** No activities found to run, monkey aborted.");
            return 252;
        }
        MainLoop.call(() -> Activities.launch(intent, info, null, null, -1));
        call.out.println("Events injected: 1");
        call.out.println("## Network stats: elapsed time=12ms (0ms mobile, 0ms wifi, 12ms not connected)");
        return 0;
    }
}
