package dev.agentdevice.helper.capture;

/** Keeps secrets out of trees. */
public final class Secrets {
    private static final char DOT = '\u2022';

    private Secrets() {
    }

    /**
     * Android shows the last typed character of a password for a moment, also to accessibility. Text that has dots is a
     * password and gets them throughout, at the same length; text without any is a hint, or one single character of which
     * nobody can tell, and that counts as secret too.
     */
    public static CharSequence masked(CharSequence text) {
        boolean dotted = text.length() == 1;
        for (int i = 0; i < text.length() && !dotted; i++) {
            dotted = text.charAt(i) == DOT;
        }
        if (!dotted) {
            return text;
        }
        char[] dots = new char[text.length()];
        java.util.Arrays.fill(dots, DOT);
        return new String(dots);
    }
}
