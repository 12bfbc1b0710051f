package testbed.device.shell;

import java.time.LocalDateTime;
import java.time.Year;
import java.time.ZoneOffset;
import java.time.format.DateTimeFormatter;
import java.util.ArrayList;
import java.util.List;
import java.util.regex.Pattern;
import testbed.device.LogBuffer;

/** logcat: dump, follow, clear; by process, time, tag and level. */
final class LogcatCommand implements Command {
    private final DateTimeFormatter moment = DateTimeFormatter.ofPattern("yyyy-MM-dd HH:mm:ss.SSS");

    /** What a call wants to see. */
    private static final class Wish {
        final LogFormat format = new LogFormat();
        final List<String> filters = new ArrayList<>();
        boolean dump;
        boolean silent;
        int tail = -1;
        long sinceMillis;
        int pid = -1;
        int uid = -1;
        long left = Long.MAX_VALUE;
        Pattern pattern;

        boolean takes(LogBuffer.Entry entry) {
            if (pid >= 0 && entry.pid != pid || uid >= 0 && entry.uid != uid || entry.wallMillis < sinceMillis) return false;
            if (pattern != null && !pattern.matcher(entry.text).find()) return false;
            int least = silent ? 9 : 2;
            boolean named = false;
            for (String filter : filters) {
                int colon = filter.indexOf(':');
                String tag = colon < 0 ? filter : filter.substring(0, colon);
                String level = colon < 0 || colon == filter.length() - 1 ? "V" : filter.substring(colon + 1);
                boolean all = tag.equals("*");
                // A filter of the tag itself counts more than one for all.
                if (!tag.equals(entry.tag) && (!all || named)) continue;
                named = !all;
                least = all && level.equals("*") ? 2 : "VDIWEFS".indexOf(Character.toUpperCase(level.charAt(0))) + 2;
            }
            return entry.level >= least;
        }
    }

    @Override
    public int run(Call call) throws InterruptedException {
        Wish wish = new Wish();
        while (call.peek() != null) {
            String word = call.next();
            String value = null;
            int equals = word.indexOf('=');
            if (word.startsWith("--") && equals > 0) {
                value = word.substring(equals + 1);
                word = word.substring(0, equals);
            } else if (word.matches("-[vbtTefmrnG].+")) {
                value = word.substring(2);
                word = word.substring(0, 2);
            }
            switch (word) {
                case "-d": wish.dump = true; break;
                case "-c": case "--clear": LogBuffer.clear(); return 0;
                case "-s": wish.silent = true; break;
                case "-v": case "--format": {
                    String style = value == null ? call.required(word) : value;
                    if (!wish.format.take(style)) {
                        call.err.println("Invalid parameter \"" + style + "\" to -v");
                        return 1;
                    }
                    break;
                }
                case "-t": wish.dump = true; from(wish, value == null ? call.required(word) : value); break;
                case "-T": from(wish, value == null ? call.required(word) : value); break;
                case "-b": case "--buffer": case "-f": case "--file": case "-r": case "-n": case "-G": case "--buffer-size":
                    if (value == null) call.required(word);
                    if (word.equals("-G") || word.equals("--buffer-size")) return 0;
                    break;
                case "-g": call.out.println("main: ring buffer is 256 KiB (0 B consumed), max entry is 5120 B, max payload is 4068 B"); return 0;
                case "--pid": wish.pid = Integer.parseInt(value == null ? call.required(word) : value); break;
                case "--uid": wish.uid = Integer.parseInt(value == null ? call.required(word) : value); break;
                case "-m": case "--max-count": wish.left = Long.parseLong(value == null ? call.required(word) : value); break;
                case "-e": case "--regex": wish.pattern = Pattern.compile(value == null ? call.required(word) : value); break;
                default:
                    if (!word.startsWith("-")) wish.filters.add(word);
            }
        }
        show(call, wish);
        return 0;
    }

    /** A count, a moment, or seconds since 1970. */
    private void from(Wish wish, String value) {
        if (value.matches("\\d+")) wish.tail = Integer.parseInt(value);
        else if (value.matches("\\d+\\.\\d+")) wish.sinceMillis = new java.math.BigDecimal(value).movePointRight(3).longValue();
        else wish.sinceMillis = LocalDateTime.parse(value.matches("\\d{4}-.*") ? value : Year.now(ZoneOffset.UTC) + "-" + value, moment).toInstant(ZoneOffset.UTC).toEpochMilli();
    }

    private static void show(Call call, Wish wish) throws InterruptedException {
        List<LogBuffer.Entry> all = LogBuffer.since(0);
        long next = all.isEmpty() ? 0 : all.get(all.size() - 1).sequence + 1;
        List<LogBuffer.Entry> first = new ArrayList<>();
        for (LogBuffer.Entry entry : all) if (wish.takes(entry)) first.add(entry);
        if (wish.tail >= 0 && first.size() > wish.tail) first = first.subList(first.size() - wish.tail, first.size());
        call.out.println("--------- beginning of main");
        for (LogBuffer.Entry entry : first) if (wish.left-- > 0) call.out.println(wish.format.print(entry));
        call.flush();
        while (!wish.dump && wish.left > 0 && !call.abandoned()) {
            LogBuffer.awaitMore(200);
            for (LogBuffer.Entry entry : LogBuffer.since(next)) {
                next = entry.sequence + 1;
                if (wish.takes(entry) && wish.left-- > 0) call.out.println(wish.format.print(entry));
            }
            call.flush();
        }
    }
}
