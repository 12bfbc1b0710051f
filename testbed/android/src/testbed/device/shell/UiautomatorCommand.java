package testbed.device.shell;

import android.accessibilityservice.AccessibilityServiceInfo;
import android.app.UiAutomation;
import android.graphics.Rect;
import android.os.Looper;
import android.view.accessibility.AccessibilityNodeInfo;
import java.io.File;
import java.io.FileOutputStream;
import java.io.IOException;
import java.io.OutputStreamWriter;
import java.io.Writer;
import java.nio.charset.StandardCharsets;
import java.util.concurrent.TimeoutException;
import testbed.device.Device;
import testbed.device.Reflect;
import testbed.device.a11y.UiAutomationServer;

/** uiautomator dump: the stock tool's picture of the active window, through a real UiAutomation. */
final class UiautomatorCommand implements Command {
    @Override
    public int run(Call call) throws Exception {
        if (!"dump".equals(call.next())) {
            call.err.println("Usage: uiautomator dump [file]");
            return 1;
        }
        for (String option = call.option(); option != null; option = call.option()) {
            // --compressed and --windows change little here.
        }
        String path = call.peek() == null ? "/sdcard/window_dump.xml" : call.path(call.next());
        if (UiAutomationServer.owner() != null) {
            // The stock tool dies of the refusal.
            call.err.println("java.lang.IllegalStateException: UiAutomationService android.accessibilityservice.IAccessibilityServiceClient$Stub$Proxy@7e57bed already registered!");
            call.err.println("Killed ");
            return 137;
        }
        Object connection = UiAutomationServer.connectionFor("com.android.shell");
        UiAutomation automation = Reflect.create(UiAutomation.class, Looper.class, Looper.getMainLooper(), Reflect.type("android.app.IUiAutomationConnection"), connection);
        Reflect.call(automation, "connect");
        try {
            AccessibilityServiceInfo info = automation.getServiceInfo();
            info.flags |= AccessibilityServiceInfo.FLAG_RETRIEVE_INTERACTIVE_WINDOWS;
            automation.setServiceInfo(info);
            try {
                automation.waitForIdle(1000, 10_000);
            } catch (TimeoutException e) {
                call.err.println("ERROR: could not get idle state.");
                return 1;
            }
            AccessibilityNodeInfo root = automation.getRootInActiveWindow();
            if (root == null) {
                call.err.println("ERROR: null root node returned by UiTestAutomationBridge.");
                return 1;
            }
            boolean terminal = path.equals("/dev/tty") || path.startsWith("/proc/self/fd/") || path.equals("/dev/stdout");
            StringBuilder xml = new StringBuilder("<?xml version='1.0' encoding='UTF-8' standalone='yes' ?><hierarchy rotation=\"" + testbed.device.wm.Screen.rotation() + "\">");
            node(xml, root, 0);
            xml.append("</hierarchy>");
            if (terminal) call.out.print(xml);
            else write(path, xml);
            call.out.println("UI hierchary dumped to: " + path);
            return 0;
        } finally {
            Reflect.call(automation, "disconnect");
        }
    }

    private static void write(String path, CharSequence text) throws IOException {
        try (Writer writer = new OutputStreamWriter(new FileOutputStream(new File(path)), StandardCharsets.UTF_8)) {
            writer.append(text);
        }
    }

    private static void node(StringBuilder xml, AccessibilityNodeInfo node, int index) {
        Rect bounds = new Rect();
        node.getBoundsInScreen(bounds);
        xml.append("<node index=\"").append(index).append('"');
        attribute(xml, "text", node.getText());
        attribute(xml, "resource-id", node.getViewIdResourceName());
        attribute(xml, "class", node.getClassName());
        attribute(xml, "package", node.getPackageName());
        attribute(xml, "content-desc", node.getContentDescription());
        attribute(xml, "checkable", node.isCheckable());
        attribute(xml, "checked", node.isChecked());
        attribute(xml, "clickable", node.isClickable());
        attribute(xml, "enabled", node.isEnabled());
        attribute(xml, "focusable", node.isFocusable());
        attribute(xml, "focused", node.isFocused());
        attribute(xml, "scrollable", node.isScrollable());
        attribute(xml, "long-clickable", node.isLongClickable());
        attribute(xml, "password", node.isPassword());
        attribute(xml, "selected", node.isSelected());
        if (Device.api() >= 26 && node.getHintText() != null && Device.api() >= 34) attribute(xml, "hint", node.getHintText());
        xml.append(" bounds=\"[").append(bounds.left).append(',').append(bounds.top).append("][").append(bounds.right).append(',').append(bounds.bottom).append("]\"");
        int children = node.getChildCount();
        if (children == 0) {
            xml.append(" />");
            return;
        }
        xml.append('>');
        for (int i = 0; i < children; i++) {
            AccessibilityNodeInfo child = node.getChild(i);
            if (child != null && child.isVisibleToUser()) node(xml, child, i);
        }
        xml.append("</node>");
    }

    private static void attribute(StringBuilder xml, String name, Object value) {
        xml.append(' ').append(name).append("=\"");
        String text = value == null ? "" : value.toString();
        for (int i = 0; i < text.length(); i++) {
            char c = text.charAt(i);
            switch (c) {
                case '&': xml.append("&amp;"); break;
                case '<': xml.append("&lt;"); break;
                case '>': xml.append("&gt;"); break;
                case '"': xml.append("&quot;"); break;
                case '\n': xml.append("&#10;"); break;
                default: xml.append(c < 0x20 && c != '\t' ? '.' : c);
            }
        }
        xml.append('"');
    }
}
