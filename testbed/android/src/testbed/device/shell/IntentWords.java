package testbed.device.shell;

import android.content.ComponentName;
import android.content.Intent;
import android.net.Uri;

/** Reads an intent from am's options. */
final class IntentWords {
    private final Intent intent = new Intent();
    private Uri data;
    private String type;

    /** Takes the next word with its arguments if it belongs to an intent. */
    boolean take(Call call) {
        String word = call.peek();
        if (!word.startsWith("-")) {
            call.next();
            bare(word);
            return true;
        }
        switch (word) {
            case "-a": call.next(); intent.setAction(call.required(word)); return true;
            case "-d": call.next(); data = Uri.parse(call.required(word)); return true;
            case "-t": call.next(); type = call.required(word); return true;
            case "-c": call.next(); intent.addCategory(call.required(word)); return true;
            case "-p": call.next(); intent.setPackage(call.required(word)); return true;
            case "-n": {
                call.next();
                String name = call.required(word);
                ComponentName component = ComponentName.unflattenFromString(name);
                if (component == null) throw new IllegalArgumentException("Bad component name: " + name);
                intent.setComponent(component);
                return true;
            }
            case "-f": call.next(); intent.setFlags(Integer.decode(call.required(word))); return true;
            case "-e":
            case "--es": { call.next(); String key = call.required(word); intent.putExtra(key, call.required(word)); return true; }
            case "--esn": call.next(); intent.putExtra(call.required(word), (String) null); return true;
            case "--ez": { call.next(); String key = call.required(word); intent.putExtra(key, Boolean.parseBoolean(call.required(word)) || "1".equals(word)); return true; }
            case "--ei": { call.next(); String key = call.required(word); intent.putExtra(key, (int) Integer.decode(call.required(word))); return true; }
            case "--el": { call.next(); String key = call.required(word); intent.putExtra(key, (long) Long.decode(call.required(word))); return true; }
            case "--ef": { call.next(); String key = call.required(word); intent.putExtra(key, Float.parseFloat(call.required(word))); return true; }
            case "--eu": { call.next(); String key = call.required(word); intent.putExtra(key, Uri.parse(call.required(word))); return true; }
            case "--esa": { call.next(); String key = call.required(word); intent.putExtra(key, call.required(word).split(",")); return true; }
            case "--activity-clear-top": call.next(); intent.addFlags(Intent.FLAG_ACTIVITY_CLEAR_TOP); return true;
            case "--activity-single-top": call.next(); intent.addFlags(Intent.FLAG_ACTIVITY_SINGLE_TOP); return true;
            case "--activity-clear-task": call.next(); intent.addFlags(Intent.FLAG_ACTIVITY_CLEAR_TASK); return true;
            case "--activity-brought-to-front":
            case "--include-stopped-packages":
            case "--receiver-foreground": call.next(); return true;
            default: return false;
        }
    }

    /** The last word alone: a URI, a component or a package. */
    private void bare(String word) {
        if (word.indexOf(':') >= 0) data = Uri.parse(word);
        else if (word.indexOf('/') >= 0) intent.setComponent(ComponentName.unflattenFromString(word));
        else intent.setPackage(word);
    }

    Intent intent() {
        if (data != null && type != null) intent.setDataAndType(data, type);
        else if (data != null) intent.setData(data);
        else if (type != null) intent.setType(type);
        if (intent.getAction() == null && intent.getComponent() == null && data != null) intent.setAction(Intent.ACTION_VIEW);
        if (intent.getAction() == null && intent.getComponent() == null && intent.getPackage() != null) {
            intent.setAction(Intent.ACTION_MAIN).addCategory(Intent.CATEGORY_LAUNCHER);
        }
        return intent;
    }
}
