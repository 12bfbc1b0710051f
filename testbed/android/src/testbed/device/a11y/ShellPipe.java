package testbed.device.a11y;

import android.os.ParcelFileDescriptor;
import java.io.IOException;
import java.io.InputStream;
import java.io.OutputStream;
import testbed.device.LogBuffer;

/** UiAutomation.executeShellCommand: the words go to the device's own shell, its output into the caller's pipe. */
final class ShellPipe {
    private ShellPipe() {}

    static void run(String command, Object sink) {
        Thread thread = new Thread(() -> {
            try (OutputStream out = new ParcelFileDescriptor.AutoCloseOutputStream((ParcelFileDescriptor) sink)) {
                Process process = new ProcessBuilder("/system/bin/sh", "-c", command).redirectErrorStream(true).start();
                process.getOutputStream().close();
                try (InputStream in = process.getInputStream()) {
                    in.transferTo(out);
                }
            } catch (IOException e) {
                LogBuffer.error("UiAutomation", e.toString());
            }
        }, "shell-pipe");
        thread.setDaemon(true);
        thread.start();
    }
}
