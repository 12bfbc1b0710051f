package testbed.probe;

import android.app.Activity;
import android.content.Intent;
import android.content.pm.PackageManager;
import android.os.Bundle;
import android.os.Process;
import android.os.SystemClock;
import android.util.Log;
import android.view.View;
import android.widget.Button;
import android.widget.EditText;
import android.widget.LinearLayout;
import android.widget.TextView;

/** Tells on the screen what it knows of its process and its intents. */
public class ProbeActivity extends Activity {
    private static int made;
    private TextView intents;
    private TextView permission;
    private int count;

    @Override
    protected void onCreate(Bundle state) {
        super.onCreate(state);
        LinearLayout column = new LinearLayout(this);
        column.setOrientation(LinearLayout.VERTICAL);
        line(column).setText("pid=" + Process.myPid() + " uid=" + Process.myUid());
        line(column).setText("instance " + ++made);
        intents = line(column);
        permission = line(column);
        permission.setText("camera " + (checkCallingOrSelfPermission("android.permission.CAMERA") == PackageManager.PERMISSION_GRANTED));
        button(column, "Ask", new Runnable() {
            @Override
            public void run() {
                requestPermissions(new String[] {"android.permission.CAMERA"}, 7);
            }
        });
        button(column, "Block", new Runnable() {
            @Override
            public void run() {
                SystemClock.sleep(60000);
            }
        });
        EditText field = new EditText(this);
        field.setContentDescription("field");
        column.addView(field);
        setContentView(column);
        show(getIntent());
        Log.w("Probe", "created in " + Process.myPid());
        Work.begin(getApplicationContext());
    }

    private TextView line(LinearLayout column) {
        TextView line = new TextView(this);
        column.addView(line);
        return line;
    }

    private void button(LinearLayout column, String label, final Runnable action) {
        Button button = new Button(this);
        button.setText(label);
        button.setOnClickListener(new View.OnClickListener() {
            @Override
            public void onClick(View view) {
                action.run();
            }
        });
        column.addView(button);
    }

    private void show(Intent intent) {
        intents.setText("intent " + ++count + " " + intent.getDataString());
    }

    @Override
    protected void onNewIntent(Intent intent) {
        show(intent);
    }

    @Override
    public void onRequestPermissionsResult(int request, String[] permissions, int[] results) {
        permission.setText("answer " + request + " " + permissions[0] + " " + results[0]);
    }
}
