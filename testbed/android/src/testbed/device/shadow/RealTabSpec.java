package testbed.device.shadow;

import org.robolectric.annotation.Implements;

/** Leaves a tab's description to the framework. */
@Implements(className = "android.widget.TabHost$TabSpec", isInAndroidSdk = false)
public class RealTabSpec {}
