package testbed.device.ime;

import android.content.Context;
import android.content.pm.PackageParser;
import android.view.KeyEvent;
import android.view.View;
import android.view.WindowManager.LayoutParams;
import android.view.inputmethod.EditorInfo;
import android.view.inputmethod.InputConnection;
import android.view.inputmethod.InputMethodManager;
import java.io.PrintStream;
import java.util.ArrayList;
import java.util.LinkedHashSet;
import java.util.List;
import java.util.Set;
import org.robolectric.RuntimeEnvironment;
import org.robolectric.shadow.api.Shadow;
import org.robolectric.shadows.ShadowInputMethodManager;
import testbed.boot.RealTime;
import testbed.device.Device;
import testbed.device.MainLoop;
import testbed.device.Settings;
import testbed.device.am.Processes;
import testbed.device.pm.App;
import testbed.device.pm.Packages;
import testbed.device.wm.Windows;

/** Plays the input method manager service: which method is current, which field it serves, whether it shows. */
public final class InputMethods {
    public static final String BUILT_IN = "com.android.inputmethod.latin/.LatinIME";
    private static final String ENABLED = "enabled_input_methods";
    private static final String CURRENT = "default_input_method";

    private static View served;
    private static InputConnection connection;
    private static EditorInfo editor;
    private static boolean shown;
    private static ImeService service;
    private static View lastWindow;
    private static String previous;

    private InputMethods() {}

    public static void install() {
        Settings.put("secure", ENABLED, BUILT_IN);
        Settings.put("secure", CURRENT, BUILT_IN);
    }

    /** The built-in method alone, and not shown. */
    public static void reset() {
        install();
        previous = null;
        MainLoop.run(() -> {
            unbind();
            request(false);
        });
    }

    /** The current method opens a field of its own, which takes the focus. */
    public static void openSearch() throws InterruptedException {
        MainLoop.run(() -> {
            bind();
            if (service != null) service.search(true);
        });
        for (int i = 0; i < 100; i++) {
            Windows.Record focused = Windows.focused();
            if (focused != null && focused.isInputMethod()) return;
            RealTime.sleep(20);
        }
        throw new IllegalStateException("the keyboard's search did not get the focus");
    }

    /** Does not wait: main may be blocked. */
    public static void closeSearch() {
        MainLoop.post(() -> {
            if (service != null) service.search(false);
        });
    }

    public static String current() {
        String id = Settings.get("secure", CURRENT);
        return id == null ? BUILT_IN : id;
    }

    public static boolean isShown() {
        return shown;
    }

    /** Ids of all methods that are installed. */
    public static List<String> known() {
        List<String> ids = new ArrayList<>();
        ids.add(BUILT_IN);
        for (App app : Packages.all()) {
            for (PackageParser.Service each : app.parsed.services) {
                for (PackageParser.ServiceIntentInfo filter : each.intents) {
                    if (filter.hasAction("android.view.InputMethod")) ids.add(new android.content.ComponentName(app.packageName, each.info.name).flattenToShortString());
                }
            }
        }
        return ids;
    }

    public static Set<String> enabled() {
        Set<String> ids = new LinkedHashSet<>();
        String list = Settings.get("secure", ENABLED);
        if (list != null) for (String each : list.split(":")) if (!each.isEmpty()) ids.add(each);
        ids.retainAll(known());
        return ids;
    }

    public static void enable(String id, boolean on) {
        Set<String> ids = enabled();
        if (on) ids.add(id);
        else ids.remove(id);
        Settings.put("secure", ENABLED, String.join(":", ids));
        if (!on && id.equals(current())) select(ids.isEmpty() ? BUILT_IN : ids.iterator().next());
    }

    public static void select(String id) {
        if (!id.equals(current())) previous = current();
        Settings.put("secure", CURRENT, id);
        MainLoop.run(() -> {
            unbind();
            tick();
        });
    }

    /** For a method that asks for its successor: it is in the middle of a call and goes after it. */
    static void selectSoon(String id) {
        MainLoop.post(() -> select(id));
    }

    static boolean selectPreviousSoon() {
        if (previous == null || !enabled().contains(previous)) return false;
        selectSoon(previous);
        return true;
    }

    private static void bind() {
        if (service == null) service = ImeService.create(current());
    }

    private static void unbind() {
        if (service != null) {
            if (shown) service.hide();
            service.destroy();
        }
        service = null;
        shown = false;
        served = null;
    }

    private static ShadowInputMethodManager manager() {
        InputMethodManager manager = (InputMethodManager) RuntimeEnvironment.getApplication().getSystemService(Context.INPUT_METHOD_SERVICE);
        return Shadow.extract(manager);
    }

    /** On the main thread, after each idle: follows the focus and what the app asked for. */
    public static void tick() {
        Windows.Record window = Windows.focused();
        // A method does not serve itself: it goes on serving the field of the app.
        if (window != null && window.isInputMethod()) return;
        View view = window == null ? null : window.view.findFocus();
        if (view != null && !view.onCheckIsTextEditor()) view = null;
        if (window != null && window.view != lastWindow) {
            lastWindow = window.view;
            int state = window.params.softInputMode & LayoutParams.SOFT_INPUT_MASK_STATE;
            boolean wanted = view != null && (state == LayoutParams.SOFT_INPUT_STATE_VISIBLE || state == LayoutParams.SOFT_INPUT_STATE_ALWAYS_VISIBLE);
            request(wanted);
        }
        if (view != served) {
            served = view;
            connection = null;
            editor = null;
            if (view != null) {
                editor = new EditorInfo();
                editor.packageName = view.getContext().getPackageName();
                editor.fieldId = view.getId();
                connection = view.onCreateInputConnection(editor);
                bind();
            }
            if (service != null) service.startInput(connection, editor, editor == null ? 0 : Processes.pid(editor.packageName));
        }
        boolean show = served != null && manager().isSoftInputVisible();
        if (show == shown || service == null) return;
        shown = show;
        if (show) service.show();
        else service.hide();
    }

    static void request(boolean visible) {
        ShadowInputMethodManager manager = manager();
        if (manager.isSoftInputVisible() != visible) {
            InputMethodManager real = (InputMethodManager) RuntimeEnvironment.getApplication().getSystemService(Context.INPUT_METHOD_SERVICE);
            real.toggleSoftInput(0, 0);
        }
    }

    /** A shown keyboard takes BACK and ESC to itself and goes. */
    public static boolean takesKey(KeyEvent event) {
        boolean closing = event.getKeyCode() == KeyEvent.KEYCODE_BACK || event.getKeyCode() == KeyEvent.KEYCODE_ESCAPE;
        if (!closing || !shown) return false;
        if (event.getAction() == KeyEvent.ACTION_UP) {
            request(false);
            tick();
        }
        return true;
    }

    public static void processDied(String packageName) {
        if (service == null || !service.packageName.equals(packageName)) return;
        service = null;
        shown = false;
        connection = null;
        served = null;
    }

    /** The lines that tools read, as each level writes them. */
    public static int dump(PrintStream out) {
        EditorInfo info = editor;
        boolean visible = shown;
        int api = Device.api();
        out.println(api >= 35 ? "Input Method Manager Service state:" : "Current Input Method Manager state:");
        out.println("  Input Methods:");
        for (String id : known()) out.println("  InputMethod #: mId=" + id);
        out.println("  " + (api >= 35 ? "mSelectedMethodId=" : "mCurMethodId=") + current());
        out.println("  mCurClient=ClientState{7e57bed uid=10100 pid=1} mCurSeq=1");
        out.println("  mCurFocusedWindow=" + (lastWindow == null ? null : lastWindow.getContext().getPackageName()));
        out.println("  mCurId=" + current() + (api >= 33 ? " mHaveConnection=true mBoundToMethod=true mVisibleBound=" + visible : " mHaveConnect=true mBoundToMethod=true"));
        if (api >= 34) {
            out.println("  mRequestedShowExplicitly=" + visible + " mShowForced=false");
            out.println("  mImeHiddenByDisplayPolicy=false");
            out.println("  mInputShown=" + visible);
        } else {
            out.println("  mShowRequested=" + visible + " mShowExplicitlyRequested=" + visible + " mShowForced=false mInputShown=" + visible);
        }
        out.println("  mInFullscreenMode=false");
        if (api < 35) out.println("  mImeWindowVis=" + (visible ? "0x3" : "0x0") + " mBackDisposition=0");
        out.println("  mSystemReady=true mInteractive=true");
        if (info != null) {
            out.println("Input method client state for ClientState:");
            out.println("  mServedView=" + served.getClass().getName());
            out.println("  mCurrentTextBoxAttribute:");
            out.println("    inputType=0x" + Integer.toHexString(info.inputType) + " imeOptions=0x" + Integer.toHexString(info.imeOptions) + " privateImeOptions=" + info.privateImeOptions);
            out.println("    packageName=" + info.packageName);
        }
        boolean viewShown = visible && service != null && service.isInputViewShown();
        out.println("Input method service state for InputMethodService:");
        out.println((api >= 29 ? "  mDecorViewVisible=" + visible + " mDecorViewWasVisible=" + visible : "  mWindowCreated=true mWindowAdded=true")
                + " mWindowVisible=" + visible + (api >= 29 ? " mInShowWindow=false" : ""));
        out.println("  mInputStarted=" + (info != null) + " mInputViewStarted=" + visible + " mIsInputViewShown=" + viewShown);
        return 0;
    }
}
