package testbed.device.pm;

import java.io.File;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.StandardCopyOption;
import java.security.DigestInputStream;
import java.security.MessageDigest;
import java.util.zip.ZipFile;
import testbed.device.LogBuffer;

/** Dex to class files with enjarify, once per APK: the result is kept under the APK's digest, across devices. */
final class DexTranslator {
    private static final File CACHE = new File("/opt/device/dex");

    private DexTranslator() {}

    static synchronized File translate(File apk) throws InstallException {
        try (ZipFile zip = new ZipFile(apk)) {
            if (zip.getEntry("classes.dex") == null) return null;
        } catch (IOException e) {
            throw new InstallException("INSTALL_PARSE_FAILED_NOT_APK", "Failed to parse " + apk);
        }
        try {
            File jar = new File(CACHE, digest(apk) + ".jar");
            if (jar.exists()) return jar;
            File part = File.createTempFile("part", ".jar", CACHE);
            ProcessBuilder builder = new ProcessBuilder("/usr/bin/python3", "-O", "-m", "enjarify.main", "-f", "-o", part.getPath(), apk.getPath());
            builder.environment().put("PYTHONPATH", "/usr/share/enjarify:/usr/lib/python3/dist-packages");
            File log = File.createTempFile("enjarify", ".log");
            Process process = builder.redirectErrorStream(true).redirectOutput(log).start();
            int code = process.waitFor();
            String text = Files.readString(log.toPath());
            log.delete();
            LogBuffer.add(1, code == 0 ? 4 : 6, "dex2oat", text.trim());
            if (code != 0 || part.length() == 0) {
                part.delete();
                throw new InstallException("INSTALL_FAILED_DEXOPT", "the dex code could not be translated");
            }
            Files.move(part.toPath(), jar.toPath(), StandardCopyOption.ATOMIC_MOVE);
            return jar;
        } catch (IOException e) {
            throw new InstallException("INSTALL_FAILED_INSUFFICIENT_STORAGE", e.getMessage());
        } catch (InterruptedException e) {
            throw new InstallException("INSTALL_FAILED_INTERNAL_ERROR", e.getMessage());
        }
    }

    static String digest(File file) throws IOException {
        try {
            MessageDigest digest = MessageDigest.getInstance("SHA-256");
            try (DigestInputStream in = new DigestInputStream(Files.newInputStream(file.toPath()), digest)) {
                in.transferTo(java.io.OutputStream.nullOutputStream());
            }
            return ApkSignatures.hex(digest.digest());
        } catch (java.security.NoSuchAlgorithmException e) {
            throw new IllegalStateException(e);
        }
    }
}
