package testbed.device.pm;

/** A refused install, with Android's own name for the reason. */
public final class InstallException extends Exception {
    private static final long serialVersionUID = 1;

    public InstallException(String code, String detail) {
        super(detail == null ? code : code + ": " + detail);
    }
}
