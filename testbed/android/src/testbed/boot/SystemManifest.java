package testbed.boot;

import org.robolectric.manifest.AndroidManifest;

/** The package in whose name the device process itself lives. It has no resources of its own. */
final class SystemManifest extends AndroidManifest {
    SystemManifest() {
        super(null, null, null);
    }

    @Override
    public int getTargetSdkVersion() {
        return 34;
    }
}
