package testbed.device.shadow;

import org.robolectric.annotation.Implements;

/** Leaves AccessibilityRecord.getSource to the framework, which asks the window for the node. */
@Implements(className = "android.view.accessibility.AccessibilityRecord", isInAndroidSdk = false)
public class RealRecordSource {}
