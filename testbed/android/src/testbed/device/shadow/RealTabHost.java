package testbed.device.shadow;

import org.robolectric.annotation.Implements;
import org.robolectric.shadows.ShadowViewGroup;

/** Leaves tabs to the framework: the stock shadow shows no content. */
@Implements(className = "android.widget.TabHost", isInAndroidSdk = false)
public class RealTabHost extends ShadowViewGroup {}
