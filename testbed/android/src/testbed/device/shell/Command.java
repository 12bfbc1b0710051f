package testbed.device.shell;

/** A program in /system/bin. */
public interface Command {
    /** Runs and returns the exit code. */
    int run(Call call) throws Exception;
}
