package testbed.device.shell;

import java.time.Instant;
import java.time.ZoneOffset;
import java.time.ZonedDateTime;
import java.time.format.DateTimeFormatter;
import java.util.Locale;
import java.util.Set;
import testbed.device.LogBuffer;

/** What `logcat -v` asks for: a format, and words that change it. */
final class LogFormat {
    private static final Set<String> FORMATS = Set.of("brief", "long", "process", "raw", "tag", "thread", "threadtime", "time");
    private static final Set<String> IGNORED = Set.of("color", "colour", "printable", "descriptive");

    private String format = "threadtime";
    private boolean epoch;
    private boolean micros;
    private boolean year;
    private boolean zone;
    private boolean uid;

    /** Takes one `-v`, whose words may be joined by commas. False = there is no such word. */
    boolean take(String words) {
        for (String word : words.split(",")) {
            if (FORMATS.contains(word)) format = word;
            else if (word.equals("epoch") || word.equals("monotonic")) epoch = true;
            else if (word.equals("usec")) micros = true;
            else if (word.equals("year")) year = true;
            else if (word.equals("zone") || word.equals("UTC")) zone = true;
            else if (word.equals("uid")) uid = true;
            else if (!IGNORED.contains(word)) return false;
        }
        return true;
    }

    String print(LogBuffer.Entry entry) {
        String tag = String.format("%-8s", entry.tag);
        char level = entry.level < 2 || entry.level > 7 ? '?' : "VDIWEF".charAt(entry.level - 2);
        String user = !uid ? "" : entry.uid == 0 ? " root:" : String.format("%5d:", entry.uid);
        switch (format) {
            case "raw": return entry.text;
            case "tag": return level + "/" + tag + ": " + entry.text;
            case "brief": return String.format("%c/%s(%s%5d): %s", level, tag, user, entry.pid, entry.text);
            case "process": return String.format("%c(%s%5d) %s  (%s)", level, user, entry.pid, entry.text, entry.tag);
            case "thread": return String.format("%c(%s%5d:%5d) %s", level, user, entry.pid, entry.tid, entry.text);
            case "time": return String.format("%s %c/%s(%s%5d): %s", time(entry), level, tag, user, entry.pid, entry.text);
            case "long": return String.format("[ %s %s%5d:%5d %c/%s ]%n%s%n", time(entry), user, entry.pid, entry.tid, level, tag, entry.text);
            default: return String.format("%s %s%5d %5d %c %s: %s", time(entry), user, entry.pid, entry.tid, level, tag, entry.text);
        }
    }

    private String time(LogBuffer.Entry entry) {
        String fraction = micros ? String.format("%03d000", entry.wallMillis % 1000) : String.format("%03d", entry.wallMillis % 1000);
        if (epoch) return String.format("%10d.%s", entry.wallMillis / 1000, fraction);
        ZonedDateTime time = Instant.ofEpochMilli(entry.wallMillis).atZone(ZoneOffset.UTC);
        String day = time.format(DateTimeFormatter.ofPattern((year ? "yyyy-" : "") + "MM-dd HH:mm:ss", Locale.ROOT));
        return day + "." + fraction + (zone ? " +0000" : "");
    }
}
