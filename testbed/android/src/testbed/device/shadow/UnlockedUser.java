package testbed.device.shadow;

import org.robolectric.annotation.Implementation;
import org.robolectric.annotation.Implements;
import org.robolectric.shadows.ShadowUserManager;

/** The device is unlocked. The stock shadow says so to two of the four who ask, and preferences ask another. */
@Implements(className = "android.os.UserManager", isInAndroidSdk = false)
public class UnlockedUser extends ShadowUserManager {
    @Implementation(minSdk = 24)
    protected boolean isUserUnlockingOrUnlocked(int user) {
        return true;
    }

    @Implementation(minSdk = 24)
    protected boolean isUserUnlocked(int user) {
        return true;
    }
}
