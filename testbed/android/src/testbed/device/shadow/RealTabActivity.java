package testbed.device.shadow;

import org.robolectric.annotation.Implements;

/** Leaves tab activities to the framework, whose layout holds the real TabHost. */
@Implements(className = "android.app.TabActivity", isInAndroidSdk = false)
public class RealTabActivity extends RealActivity {}
