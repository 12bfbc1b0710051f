package testbed.device.shell;

import java.io.IOException;
import java.io.InputStream;
import java.io.OutputStream;
import java.io.PrintStream;
import java.util.Arrays;
import java.util.List;

/** One shell command: its words, its streams, and a cursor over the words. */
public final class Call {
    public final String cwd;
    public final String name;
    public final List<String> words;
    public final PrintStream out;
    public final PrintStream err;
    private final Wire wire;
    private int at;

    Call(String cwd, String name, List<String> words, OutputStream out, OutputStream err, Wire wire) {
        this.cwd = cwd;
        this.name = name;
        this.words = words;
        this.out = out instanceof PrintStream ? (PrintStream) out : printer(out);
        this.err = err instanceof PrintStream ? (PrintStream) err : printer(err);
        this.wire = wire;
    }

    private static PrintStream printer(OutputStream stream) {
        try {
            return new PrintStream(new java.io.BufferedOutputStream(stream, 16384), false, "UTF-8");
        } catch (java.io.UnsupportedEncodingException e) {
            throw new IllegalStateException(e);
        }
    }

    /** The same command seen from inside: `cmd package list` becomes `pm list`. */
    public Call as(String newName, List<String> newWords) {
        return new Call(cwd, newName, newWords, out, err, wire);
    }

    public static Call of(PrintStream out, String... line) {
        return new Call("/", line[0], Arrays.asList(line).subList(1, line.length), out, out, null);
    }

    public String next() {
        return at < words.size() ? words.get(at++) : null;
    }

    public String peek() {
        return at < words.size() ? words.get(at) : null;
    }

    /** The next word if it looks like an option. */
    public String option() {
        String word = peek();
        if (word == null || !word.startsWith("-") || word.equals("-")) return null;
        at++;
        return word;
    }

    public String required(String what) {
        String word = next();
        if (word == null) throw new IllegalArgumentException("Argument expected after \"" + what + "\"");
        return word;
    }

    public List<String> rest() {
        List<String> rest = words.subList(at, words.size());
        at = words.size();
        return rest;
    }

    public String path(String word) {
        return word.startsWith("/") ? word : cwd + "/" + word;
    }

    /** Standard input; nothing is read from the caller before the first call of this. */
    public InputStream in() throws IOException {
        if (wire == null) return InputStream.nullInputStream();
        return wire.input();
    }

    public void flush() {
        out.flush();
        err.flush();
    }

    /** Whether the command's own process has gone. */
    public boolean abandoned() {
        return wire != null && wire.closed();
    }

    public void onAbandoned(Runnable reaction) {
        if (wire != null) wire.onClosed(reaction);
    }
}
