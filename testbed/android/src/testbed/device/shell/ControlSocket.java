package testbed.device.shell;

import java.io.BufferedReader;
import java.io.File;
import java.io.IOException;
import java.io.InputStreamReader;
import java.io.PrintStream;
import java.nio.channels.Channels;
import testbed.device.Faults;

/** The way in beside adb, for the test that set the device up: one line in, text out. */
public final class ControlSocket {
    private ControlSocket() {}

    public static void start(File path) throws IOException {
        ShellServer.listen(path, channel -> {
            BufferedReader reader = new BufferedReader(new InputStreamReader(Channels.newInputStream(channel), "UTF-8"));
            PrintStream out = new PrintStream(Channels.newOutputStream(channel), true, "UTF-8");
            String line = reader.readLine();
            if (line == null) return;
            try {
                out.println(Faults.command(line.trim().split("\\s+")));
            } catch (Exception e) {
                out.println("error: " + e.getMessage());
            }
        });
    }
}
