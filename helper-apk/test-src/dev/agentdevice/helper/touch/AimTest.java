package dev.agentdevice.helper.touch;

import static org.junit.Assert.assertEquals;
import static org.junit.Assert.assertFalse;
import static org.junit.Assert.assertNull;
import static org.junit.Assert.assertTrue;
import static org.junit.Assert.fail;

import dev.agentdevice.helper.touch.Aim.Found;

import org.junit.Test;

import java.nio.charset.StandardCharsets;
import java.util.Arrays;
import java.util.Base64;
import java.util.List;

public class AimTest {
    /** As large as from left to right, and as high as wide. */
    private static final class Box {
        final String id;
        final int left;
        final int right;
        List<Box> children = Arrays.asList();
        boolean acts;
        int order;
        int held;

        Box(String id, int left, int right, Box... children) {
            this.id = id;
            this.left = left;
            this.right = right;
            this.children = Arrays.asList(children);
        }

        Box acting(int drawn) {
            acts = true;
            order = drawn;
            return this;
        }

        Box drawn(int drawn) {
            order = drawn;
            return this;
        }
    }

    private static final Aim.Reader<Box> READER = new Aim.Reader<Box>() {
        @Override
        public boolean holds(Box box, float x, float y) {
            return x >= box.left && x < box.right;
        }

        @Override
        public CharSequence type(Box box) {
            return "Box";
        }

        @Override
        public CharSequence id(Box box) {
            return "com.app:id/" + box.id;
        }

        @Override
        public CharSequence[] names(Box box) {
            return new CharSequence[] {null, box.id + "\u0001", ""};
        }

        @Override
        public boolean acts(Box box) {
            return box.acts;
        }

        @Override
        public int order(Box box) {
            return box.order;
        }

        @Override
        public int childCount(Box box) {
            return box.children.size();
        }

        @Override
        public Box child(Box box, int index) {
            Box child = box.children.get(index);
            child.held++;
            return child;
        }

        @Override
        public void release(Box box) {
            box.held--;
        }
    };

    private static Found at(float x, Box root) {
        Found found = new Aim("Box", "pay", null).below(root, x, 0, READER);
        allReleased(root);
        return found;
    }

    private static void allReleased(Box box) {
        assertEquals(box.id, 0, box.held);
        for (Box child : box.children) {
            allReleased(child);
        }
    }

    @Test
    public void aTargetIsFoundWhereItIsAndNowhereElse() {
        Box root = new Box("root", 0, 100, new Box("row", 0, 100, new Box("pay", 10, 20), new Box("cancel", 20, 30)));
        assertEquals(Found.TARGET, at(15, root));
        assertEquals(Found.OTHER, at(25, root));
        assertEquals(Found.OTHER, at(200, root));
        assertEquals(Found.TARGET, at(15, new Box("pay", 0, 100)));
    }

    @Test
    public void whatIsDrawnLaterAndTakesTouchesCovers() {
        Box pay = new Box("pay", 0, 50).acting(1);
        Box sheet = new Box("sheet", 0, 100, new Box("accept", 0, 20).acting(0)).drawn(2);
        Box page = new Box("page", 0, 100, pay).drawn(1);
        assertEquals(Found.COVERED, at(10, new Box("root", 0, 100, page, sheet)));
        assertEquals("beside the button nothing takes the touch", Found.TARGET, at(30, new Box("root", 0, 100, page, sheet)));
        sheet.drawn(0);
        assertEquals("it lies below", Found.TARGET, at(10, new Box("root", 0, 100, page, sheet)));
        page.drawn(-1);
        sheet.drawn(2);
        assertEquals("nobody knows", Found.TARGET, at(10, new Box("root", 0, 100, page, sheet)));
    }

    @Test
    public void whatLiesInTheTargetDoesNotCoverIt() {
        assertEquals(Found.TARGET, at(10, new Box("pay", 0, 50, new Box("more", 0, 50).acting(9))));
    }

    @Test
    public void ofTooManyNodesNothingIsSaid() {
        Box[] many = new Box[3000];
        for (int i = 0; i < many.length; i++) {
            many[i] = new Box("x", 0, 100);
        }
        assertEquals(Found.UNKNOWN, at(10, new Box("root", 0, 100, many)));
    }

    @Test
    public void anAimSaysAsMuchAsItWants() {
        Box pay = new Box("pay", 0, 1);
        assertTrue(new Aim(null, null, null).is(pay, READER));
        assertTrue(new Aim("Box", "com.app:id/pay", "pay\ufffd").is(pay, READER));
        assertFalse(new Aim("Bo", null, null).is(pay, READER));
        assertFalse(new Aim(null, "ay", null).is(pay, READER));
        assertFalse(new Aim(null, null, "pay").is(pay, READER));
    }

    @Test
    public void anAimIsReadOrRefused() {
        Aim aim = Taps.parse("1,2,,1,," + base64("{\"class\":\"Box\",\"id\":\"pay\"}")).aim;
        assertTrue(aim.is(new Box("pay", 0, 1), READER));
        assertNull(Taps.parse("1,2,,1,80").aim);
        for (String bad : new String[] {"[]", "{\"id\":7}", "{", ""}) {
            try {
                Aim.fromBase64(base64(bad));
                fail(bad);
            } catch (IllegalArgumentException e) {
                // Refused before anything happens.
            }
        }
    }

    private static String base64(String text) {
        return Base64.getEncoder().encodeToString(text.getBytes(StandardCharsets.UTF_8));
    }
}
