package testbed.device.system;

import android.app.Activity;
import android.view.View;
import android.view.accessibility.AccessibilityNodeInfo;
import android.widget.LinearLayout;
import android.widget.TextView;

/** An activity of a system package: a column of texts and buttons that carry the ids of that package. */
abstract class SystemScreen extends Activity {
    private final String packageName;

    SystemScreen(String packageName) {
        this.packageName = packageName;
    }

    @Override
    public String getPackageName() {
        return packageName;
    }

    LinearLayout column() {
        LinearLayout column = new LinearLayout(this);
        column.setOrientation(LinearLayout.VERTICAL);
        column.setPadding(48, 96, 48, 48);
        return column;
    }

    /** Gives a view an id of the package's resources, which are not here. */
    <T extends View> T named(T view, String name) {
        view.setAccessibilityDelegate(new View.AccessibilityDelegate() {
            @Override
            public void onInitializeAccessibilityNodeInfo(View host, AccessibilityNodeInfo info) {
                super.onInitializeAccessibilityNodeInfo(host, info);
                info.setViewIdResourceName(packageName + ":id/" + name);
            }
        });
        return view;
    }

    TextView text(LinearLayout column, CharSequence words, float size) {
        TextView text = new TextView(this);
        text.setText(words);
        text.setTextSize(size);
        column.addView(text);
        return text;
    }
}
