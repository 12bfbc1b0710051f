package testbed.device.shell;

import android.graphics.Bitmap;
import java.io.File;
import java.io.FileOutputStream;
import java.io.IOException;
import java.io.OutputStream;
import java.nio.ByteBuffer;
import java.nio.ByteOrder;
import testbed.device.Device;
import testbed.device.wm.Screen;

/** screencap and wm. */
final class ScreenCommands {
    private ScreenCommands() {}

    static int screencap(Call call) throws IOException {
        boolean png = false;
        for (String option = call.option(); option != null; option = call.option()) {
            if (option.equals("-p")) png = true;
            if (option.equals("-d")) call.next();
        }
        String path = call.next();
        if (path != null && path.endsWith(".png")) png = true;
        if (Device.api() < 26) {
            // This level has no renderer here.
            call.err.println("Capturing failed.");
            return 1;
        }
        Bitmap picture = Screen.capture();
        try (OutputStream out = path == null ? null : new FileOutputStream(new File(call.path(path)))) {
            OutputStream to = out == null ? call.out : out;
            if (png) picture.compress(Bitmap.CompressFormat.PNG, 100, to);
            else raw(picture, to);
        }
        picture.recycle();
        return 0;
    }

    private static void raw(Bitmap picture, OutputStream out) throws IOException {
        ByteBuffer head = ByteBuffer.allocate(16).order(ByteOrder.LITTLE_ENDIAN);
        head.putInt(picture.getWidth()).putInt(picture.getHeight()).putInt(1).putInt(1);
        out.write(head.array());
        int[] row = new int[picture.getWidth()];
        byte[] bytes = new byte[row.length * 4];
        for (int y = 0; y < picture.getHeight(); y++) {
            picture.getPixels(row, 0, row.length, 0, y, row.length, 1);
            for (int x = 0; x < row.length; x++) {
                bytes[4 * x] = (byte) (row[x] >> 16);
                bytes[4 * x + 1] = (byte) (row[x] >> 8);
                bytes[4 * x + 2] = (byte) row[x];
                bytes[4 * x + 3] = (byte) (row[x] >> 24);
            }
            out.write(bytes);
        }
    }

    static int wm(Call call) {
        String verb = call.next();
        String value = call.next();
        switch (String.valueOf(verb)) {
            case "size":
                if (value == null) {
                    call.out.println("Physical size: " + Screen.PHYSICAL_WIDTH + "x" + Screen.PHYSICAL_HEIGHT);
                    if (Screen.overriddenSize() != null) call.out.println("Override size: " + Screen.overriddenSize());
                } else if (value.equals("reset")) {
                    Screen.overrideSize(null);
                } else if (value.matches("\\d+x\\d+")) {
                    Screen.overrideSize(value);
                } else {
                    throw new IllegalArgumentException("bad size " + value);
                }
                return 0;
            case "density":
                if (value == null) {
                    call.out.println("Physical density: " + Screen.PHYSICAL_DENSITY);
                    if (Screen.overriddenDensity() != 0) call.out.println("Override density: " + Screen.overriddenDensity());
                } else {
                    Screen.overrideDensity(value.equals("reset") ? 0 : Integer.parseInt(value));
                }
                return 0;
            case "dismiss-keyguard":
                return 0;
            default:
                call.err.println("Unknown command: " + verb);
                return 255;
        }
    }
}
