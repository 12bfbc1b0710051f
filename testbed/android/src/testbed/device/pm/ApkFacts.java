package testbed.device.pm;

import android.content.res.AssetManager;
import android.content.res.XmlResourceParser;
import java.io.File;
import org.xmlpull.v1.XmlPullParser;
import testbed.device.Reflect;

/** Facts of a binary manifest that the framework's own parser of API 23 doesn't keep. */
final class ApkFacts {
    private static final String ANDROID = "http://schemas.android.com/apk/res/android";

    private ApkFacts() {}

    static int minSdk(File apk) throws Exception {
        AssetManager assets = Reflect.create(AssetManager.class);
        Integer cookie = Reflect.call(assets, "addAssetPath", apk.getPath());
        try (XmlResourceParser parser = assets.openXmlResourceParser(cookie, "AndroidManifest.xml")) {
            for (int event = parser.next(); event != XmlPullParser.END_DOCUMENT; event = parser.next()) {
                if (event == XmlPullParser.START_TAG && parser.getName().equals("uses-sdk")) {
                    return parser.getAttributeIntValue(ANDROID, "minSdkVersion", 1);
                }
            }
        }
        return 1;
    }
}
