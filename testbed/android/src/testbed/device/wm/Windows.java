package testbed.device.wm;

import android.graphics.Rect;
import android.graphics.Region;
import android.os.IBinder;
import android.view.View;
import android.view.ViewRootImpl;
import android.view.ViewTreeObserver;
import android.view.WindowManager.LayoutParams;
import android.view.WindowManagerGlobal;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.Collections;
import java.util.List;
import java.util.Objects;
import org.robolectric.shadow.api.Shadow;
import org.robolectric.shadows.ShadowViewRootImpl;
import testbed.device.Reflect;
import testbed.device.a11y.AccessibilityServer;
import testbed.device.a11y.UiAutomationServer;

/** The window manager's view of things: which windows there are, in which order, and which has the focus. */
public final class Windows {
    private static volatile List<Record> visible = Collections.emptyList();
    private static ViewRootImpl focusedRoot;

    /** One visible window, as it was after the last idle of the main thread. */
    public static final class Record {
        public final ViewRootImpl root;
        public final View view;
        public final LayoutParams params;
        public final Rect frame;
        public int layer;
        public boolean focused;

        Record(ViewRootImpl root, View view, LayoutParams params, Rect frame) {
            this.root = root;
            this.view = view;
            this.params = params;
            this.frame = frame;
        }

        public int id() {
            AccessibilityServer.Registered registered = registered();
            return registered == null ? AccessibilityServer.NO_WINDOW : registered.id;
        }

        private AccessibilityServer.Registered registered() {
            android.os.IInterface window = Reflect.get(root, "mWindow");
            IBinder binder = window == null ? null : window.asBinder();
            return binder == null ? null : AccessibilityServer.of(binder);
        }

        public String packageName() {
            return view.getContext().getPackageName();
        }

        public String title() {
            CharSequence title = params.getTitle();
            return title == null ? "" : title.toString();
        }

        public boolean isApplication() {
            return params.type < LayoutParams.FIRST_SYSTEM_WINDOW;
        }

        public boolean isInputMethod() {
            return params.type == LayoutParams.TYPE_INPUT_METHOD || params.type == LayoutParams.TYPE_INPUT_METHOD_DIALOG;
        }

        boolean isFocusable() {
            return (params.flags & LayoutParams.FLAG_NOT_FOCUSABLE) == 0 && params.type != LayoutParams.TYPE_INPUT_METHOD;
        }

        boolean isTouchable() {
            return (params.flags & LayoutParams.FLAG_NOT_TOUCHABLE) == 0;
        }

        /** A focusable window without FLAG_NOT_TOUCH_MODAL takes touches outside of itself too. */
        boolean isModal() {
            return (params.flags & (LayoutParams.FLAG_NOT_FOCUSABLE | LayoutParams.FLAG_NOT_TOUCH_MODAL)) == 0;
        }

        /** AccessibilityWindowInfo's types: application, input method, system, accessibility overlay. */
        public int accessibilityType() {
            if (isInputMethod()) return 2;
            if (params.type == 2032) return 4;
            return isApplication() ? 1 : 3;
        }

        /** Where the window takes touches, on the screen: what its view says about its insets, else all of it. */
        public Region region() {
            Object info = Reflect.get(root, "mAttachInfo");
            Object insets = info == null ? null : Reflect.get(info, "mGivenInternalInsets");
            int kind = insets == null ? ViewTreeObserver.InternalInsetsInfo.TOUCHABLE_INSETS_FRAME : Reflect.<Integer>get(insets, "mTouchableInsets");
            if (kind == ViewTreeObserver.InternalInsetsInfo.TOUCHABLE_INSETS_REGION) {
                Region region = new Region(Reflect.<Region>get(insets, "touchableRegion"));
                region.translate(frame.left, frame.top);
                return region;
            }
            if (kind == ViewTreeObserver.InternalInsetsInfo.TOUCHABLE_INSETS_FRAME) return new Region(frame);
            Rect given = Reflect.get(insets, kind == ViewTreeObserver.InternalInsetsInfo.TOUCHABLE_INSETS_CONTENT ? "contentInsets" : "visibleInsets");
            return new Region(frame.left + given.left, frame.top + given.top, frame.right - given.right, frame.bottom - given.bottom);
        }

        private int rank() {
            switch (params.type) {
                case LayoutParams.TYPE_INPUT_METHOD: return 10;
                case LayoutParams.TYPE_INPUT_METHOD_DIALOG: return 11;
                case LayoutParams.TYPE_STATUS_BAR: return 15;
                case 2019: return 16;
                case 2032: return 20;
                default: return isApplication() ? 2 : 12;
            }
        }
    }

    private Windows() {}

    public static void install() {}

    /** Topmost first. */
    public static List<Record> visible() {
        return visible;
    }

    public static Record focused() {
        for (Record record : visible) if (record.focused) return record;
        return null;
    }

    /** On the main thread, after each idle: takes the new state over and tells whom it concerns. */
    public static void tick() {
        List<Record> now = collect();
        Record focus = null;
        for (Record record : now) {
            if (record.isFocusable()) {
                focus = record;
                break;
            }
        }
        if (focus != null) focus.focused = true;
        boolean changed = differs(now, visible);
        visible = now;
        ViewRootImpl root = focus == null ? null : focus.root;
        if (root != focusedRoot) {
            ViewRootImpl old = focusedRoot;
            focusedRoot = root;
            if (old != null && old.getView() != null) focus(old, false);
            if (root != null) focus(root, true);
        }
        if (changed) UiAutomationServer.windowsChanged();
    }

    private static void focus(ViewRootImpl root, boolean has) {
        ShadowViewRootImpl shadow = Shadow.extract(root);
        shadow.callWindowFocusChanged(has);
    }

    private static List<Record> collect() {
        WindowManagerGlobal global = WindowManagerGlobal.getInstance();
        List<Record> found = new ArrayList<>();
        List<ViewRootImpl> roots = list(Reflect.get(global, "mRoots"));
        List<LayoutParams> params = list(Reflect.get(global, "mParams"));
        for (int i = 0; i < roots.size() && i < params.size(); i++) {
            ViewRootImpl root = roots.get(i);
            View view = root.getView();
            if (view == null || !view.isAttachedToWindow() || view.getVisibility() != View.VISIBLE) continue;
            if (view.getWidth() <= 0 || view.getHeight() <= 0) continue;
            int[] at = new int[2];
            view.getLocationOnScreen(at);
            found.add(new Record(root, view, params.get(i), new Rect(at[0], at[1], at[0] + view.getWidth(), at[1] + view.getHeight())));
        }
        Collections.reverse(found);
        found.sort((a, b) -> Integer.compare(b.rank(), a.rank()));
        for (int i = 0; i < found.size(); i++) found.get(i).layer = found.size() - 1 - i;
        return found;
    }

    @SuppressWarnings("unchecked")
    static <T> List<T> list(Object container) {
        if (container == null) return Collections.emptyList();
        return container instanceof List ? new ArrayList<>((List<T>) container) : new ArrayList<>(Arrays.asList((T[]) container));
    }

    private static boolean differs(List<Record> a, List<Record> b) {
        if (a.size() != b.size()) return true;
        for (int i = 0; i < a.size(); i++) {
            Record x = a.get(i);
            Record y = b.get(i);
            if (x.root != y.root || x.focused != y.focused || !Objects.equals(x.frame, y.frame)) return true;
        }
        return false;
    }
}
