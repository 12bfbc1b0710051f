package testbed.device;

import java.io.ByteArrayOutputStream;
import java.io.PrintStream;
import java.util.ArrayDeque;
import java.util.ArrayList;
import java.util.Deque;
import java.util.List;
import org.robolectric.shadows.ShadowLog;
import testbed.boot.RealTime;
import testbed.device.am.Processes;

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
        public final int tid;
        public final int uid;
        public final int level;
        public final String tag;
        public final String text;

        Entry(long sequence, long wallMillis, int pid, int tid, int uid, int level, String tag, String text) {
            this.sequence = sequence;
            this.wallMillis = wallMillis;
            this.pid = pid;
            this.tid = tid;
            this.uid = uid;
            this.level = level;
            this.tag = tag;
            this.text = text;
        }
    }

    private LogBuffer() {}

    static void install() {
        // Every android.util.Log call ends in the shadow's stream as "LETTER/tag: text".
        ShadowLog.stream = new PrintStream(new LineSplitter(), true);
    }

    /** A line of the system's own processes. */
    public static void add(int pid, int level, String tag, String text) {
        add(pid, pid, Processes.uid(pid), level, tag, text);
    }

    private static synchronized void add(int pid, int tid, int uid, int level, String tag, String text) {
        for (String line : text.split("\n")) {
            ENTRIES.addLast(new Entry(next++, RealTime.wallMillis(), pid, tid, uid, level, tag, line));
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
            String tag = shaped ? text.substring(2, colon) : "stdout";
            // The test library under the framework tells what no phone tells.
            if (tag.equals("LifecycleMonitor")) return;
            int pid = Processes.currentPid();
            int tid = MainLoop.isMain() ? pid : pid + (int) Thread.currentThread().getId();
            add(pid, tid, Processes.uid(pid), level, tag, shaped ? text.substring(colon + 2) : text);
        }
    }
}
