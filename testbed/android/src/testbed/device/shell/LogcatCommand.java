package testbed.device.shell;

import java.util.ArrayList;
import java.util.List;
import testbed.device.LogBuffer;

/** logcat: dump, follow, clear; by process, by tag and level. */
final class LogcatCommand implements Command {
    @Override
    public int run(Call call) throws InterruptedException {
        boolean dump = false;
        boolean silent = false;
        String style = "threadtime";
        int tail = -1;
        int pid = -1;
        List<String> filters = new ArrayList<>();
        while (call.peek() != null) {
            String word = call.next();
            switch (word) {
                case "-d": dump = true; break;
                case "-c": case "--clear": LogBuffer.clear(); return 0;
                case "-s": silent = true; break;
                case "-v": style = call.required(word); break;
                case "-b": case "-T": call.next(); break;
                case "-t": tail = Integer.parseInt(call.required(word)); dump = true; break;
                case "-g": call.out.println("main: ring buffer is 256 KiB"); return 0;
                case "--pid": pid = Integer.parseInt(call.required(word)); break;
                default:
                    if (word.startsWith("--pid=")) pid = Integer.parseInt(word.substring(6));
                    else if (word.startsWith("-v")) style = word.substring(2);
                    else if (!word.startsWith("-")) filters.add(word);
            }
        }
        String format = style.split(",")[0];
        long next = 0;
        List<LogBuffer.Entry> first = matching(LogBuffer.since(0), pid, filters, silent);
        if (tail >= 0 && first.size() > tail) first = first.subList(first.size() - tail, first.size());
        call.out.println("--------- beginning of main");
        for (LogBuffer.Entry entry : first) call.out.println(entry.format(format));
        for (LogBuffer.Entry entry : LogBuffer.since(0)) next = entry.sequence + 1;
        call.flush();
        while (!dump && !call.abandoned()) {
            LogBuffer.awaitMore(200);
            List<LogBuffer.Entry> more = LogBuffer.since(next);
            for (LogBuffer.Entry entry : matching(more, pid, filters, silent)) call.out.println(entry.format(format));
            if (!more.isEmpty()) next = more.get(more.size() - 1).sequence + 1;
            call.flush();
        }
        return 0;
    }

    private static List<LogBuffer.Entry> matching(List<LogBuffer.Entry> entries, int pid, List<String> filters, boolean silent) {
        List<LogBuffer.Entry> found = new ArrayList<>();
        for (LogBuffer.Entry entry : entries) {
            if (pid >= 0 && entry.pid != pid) continue;
            int least = silent ? 9 : 2;
            for (String filter : filters) {
                int colon = filter.indexOf(':');
                String tag = colon < 0 ? filter : filter.substring(0, colon);
                String level = colon < 0 ? "V" : filter.substring(colon + 1);
                if (tag.equals("*") || tag.equals(entry.tag)) least = "VDIWEFS".indexOf(level.isEmpty() ? 'V' : Character.toUpperCase(level.charAt(0))) + 2;
            }
            if (entry.level >= least) found.add(entry);
        }
        return found;
    }
}
