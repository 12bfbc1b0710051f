package testbed.device;

import java.io.ByteArrayOutputStream;
import java.io.PrintStream;
import java.text.SimpleDateFormat;
import java.util.ArrayDeque;
import java.util.ArrayList;
import java.util.Date;
import java.util.Deque;
import java.util.List;
import java.util.Locale;
import org.robolectric.shadows.ShadowLog;
import testbed.boot.RealTime;

/** The ring that logcat reads. */
public final class LogBuffer {
    private static final int CAPACITY = 20_000;
    private static final Deque<Entry> ENTRIES = new ArrayDeque<>();
    private static long next;

    /** One line of the log. */
    public static final class Entry {
        public final long sequence;
        public final long wallMillis;
        public final int pid;
        public final int level;
        public final String tag;
        public final String text;

        Entry(long sequence, long wallMillis, int pid, int level, String tag, String text) {
            this.sequence = sequence;
            this.wallMillis = wallMillis;
            this.pid = pid;
            this.level = level;
            this.tag = tag;
            this.text = text;
        }

        public char letter() {
            return level < 2 || level > 7 ? '?' : "VDIWEF".charAt(level - 2);
        }

        /** One of logcat's formats; unknown ones print as threadtime. */
        public String format(String style) {
            SimpleDateFormat date = new SimpleDateFormat("MM-dd HH:mm:ss.SSS", Locale.ROOT);
            String when = date.format(new Date(wallMillis));
            switch (style) {
                case "brief": return letter() + "/" + tag + "(" + pid + "): " + text;
                case "tag": return letter() + "/" + tag + ": " + text;
                case "raw": return text;
                case "time": return when + " " + letter() + "/" + tag + "(" + pid + "): " + text;
                default: return when + " " + pid + " " + pid + " " + letter() + " " + tag + ": " + text;
            }
        }
    }

    private LogBuffer() {}

    static void install() {
        // Every android.util.Log call ends in the shadow's stream as "LETTER/tag: text".
        ShadowLog.stream = new PrintStream(new LineSplitter(), true);
    }

    public static synchronized void add(int pid, int level, String tag, String text) {
        for (String line : text.split("\n")) {
            ENTRIES.addLast(new Entry(next++, RealTime.wallMillis(), pid, level, tag, line));
            if (ENTRIES.size() > CAPACITY) ENTRIES.removeFirst();
        }
        LogBuffer.class.notifyAll();
    }

    public static void error(String tag, String text) {
        add(1, 6, tag, text);
    }

    public static synchronized List<Entry> since(long sequence) {
        List<Entry> found = new ArrayList<>();
        for (Entry entry : ENTRIES) if (entry.sequence >= sequence) found.add(entry);
        return found;
    }

    public static synchronized void awaitMore(long millis) throws InterruptedException {
        LogBuffer.class.wait(millis);
    }

    public static synchronized void clear() {
        ENTRIES.clear();
    }

    private static final class LineSplitter extends java.io.OutputStream {
        private final ThreadLocal<ByteArrayOutputStream> line = ThreadLocal.withInitial(ByteArrayOutputStream::new);

        @Override
        public void write(int b) {
            ByteArrayOutputStream bytes = line.get();
            if (b != '\n') {
                bytes.write(b);
                return;
            }
            String text = new String(bytes.toByteArray(), java.nio.charset.StandardCharsets.UTF_8);
            bytes.reset();
            int colon = text.indexOf(": ");
            boolean shaped = text.length() > 2 && text.charAt(1) == '/' && colon > 1;
            int level = shaped ? "VDIWEF".indexOf(text.charAt(0)) + 2 : 4;
            add(testbed.device.am.Processes.currentPid(), level, shaped ? text.substring(2, colon) : "stdout", shaped ? text.substring(colon + 2) : text);
        }
    }
}
