package testbed.device.shadow;

import org.robolectric.annotation.Implementation;
import org.robolectric.annotation.Implements;
import org.robolectric.shadows.ShadowPausedSystemClock;
import testbed.boot.RealTime;
import testbed.device.Clock;

/** The stock shadow moves the clock instead of waiting, which would let every paced gesture run ahead. */
@Implements(className = "android.os.SystemClock", isInAndroidSdk = false)
public class RealSleep extends ShadowPausedSystemClock {
    @Implementation
    protected static void sleep(long millis) {
        long end = Clock.now() + millis;
        boolean interrupted = false;
        // As on a phone: an interrupt doesn't shorten the sleep, it is kept for later.
        for (long left = millis; left > 0; left = end - Clock.now()) {
            try {
                RealTime.sleep(left);
            } catch (InterruptedException e) {
                testbed.device.am.AppThreads.checkCaller();
                interrupted = true;
            }
        }
        if (interrupted) Thread.currentThread().interrupt();
    }
}
