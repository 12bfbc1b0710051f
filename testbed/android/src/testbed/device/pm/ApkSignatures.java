package testbed.device.pm;

import com.android.apksig.ApkVerifier;
import java.io.File;
import java.security.MessageDigest;
import java.security.cert.X509Certificate;
import java.util.ArrayList;
import java.util.List;

/** Verifies an APK's signature (schemes 1 to 3) with AOSP's own library. */
final class ApkSignatures {
    private ApkSignatures() {}

    /** SHA-256 of each signer's certificate. */
    static List<String> verify(File apk, int api) throws InstallException {
        ApkVerifier.Result result;
        try {
            result = new ApkVerifier.Builder(apk).setMinCheckedPlatformVersion(api).setMaxCheckedPlatformVersion(api).build().verify();
        } catch (Exception e) {
            throw new InstallException("INSTALL_PARSE_FAILED_NOT_APK", "Failed to parse " + apk);
        }
        if (!result.isVerified()) {
            String text = result.getErrors().isEmpty() ? "Failed collecting certificates for " + apk : result.getErrors().get(0).toString();
            boolean unsigned = !result.isVerifiedUsingV1Scheme() && !result.isVerifiedUsingV2Scheme() && text.contains("no ") || text.contains("not signed") || text.contains("Missing META-INF");
            throw new InstallException("INSTALL_PARSE_FAILED_NO_CERTIFICATES", (unsigned ? "Failed to collect certificates from " + apk + ": Attempt to get length of null array" : "Failed to collect certificates from " + apk + ": " + text));
        }
        List<String> digests = new ArrayList<>();
        try {
            for (X509Certificate certificate : result.getSignerCertificates()) {
                digests.add(hex(MessageDigest.getInstance("SHA-256").digest(certificate.getEncoded())));
            }
        } catch (java.security.GeneralSecurityException e) {
            throw new InstallException("INSTALL_PARSE_FAILED_CERTIFICATE_ENCODING", e.getMessage());
        }
        return digests;
    }

    static String hex(byte[] bytes) {
        StringBuilder text = new StringBuilder();
        for (byte b : bytes) text.append(String.format("%02x", b));
        return text.toString();
    }
}
