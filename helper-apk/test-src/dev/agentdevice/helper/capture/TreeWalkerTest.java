package dev.agentdevice.helper.capture;

import static org.junit.Assert.assertEquals;
import static org.junit.Assert.assertFalse;
import static org.junit.Assert.assertNull;
import static org.junit.Assert.assertTrue;
import static org.junit.Assert.fail;

import dev.agentdevice.session.Clock;

import org.junit.Test;

import java.util.ArrayList;
import java.util.List;

public class TreeWalkerTest {
    private static final class TickingClock implements Clock {
        long now;
        long step;

        @Override
        public long nowMs() {
            return now += step;
        }

        @Override
        public void sleepMs(long ms) {
            now += ms;
        }
    }

    private final TickingClock clock = new TickingClock();

    private Budget budget(int nodes, int depth) {
        return new Budget(nodes, depth, 1000, clock);
    }

    private static String walk(FakeNode root, Budget budget) throws Exception {
        XmlWriter xml = new XmlWriter();
        xml.begin();
        new TreeWalker<FakeNode>(new FakeNode.Reader(), xml, budget).walk(root, 0, null);
        xml.end(0);
        XmlWriterTest.parse(xml);
        String text = xml.toString();
        return text.substring(text.indexOf("\"0\">") + 4, text.indexOf("</hierarchy>"));
    }

    private static List<FakeNode> all(FakeNode root) {
        List<FakeNode> out = new ArrayList<FakeNode>();
        out.add(root);
        for (int i = 0; i < out.size(); i++) {
            for (FakeNode child : out.get(i).children) {
                if (child != null) {
                    out.add(child);
                }
            }
        }
        return out;
    }

    @Test
    public void nodesComeInDocumentOrderWithTheirPlaceInTheParent() throws Exception {
        FakeNode root = new FakeNode("r", new FakeNode("a", new FakeNode("b")), null, new FakeNode("c"));
        assertEquals("<node index=\"0\" text=\"r\"><node index=\"0\" text=\"a\"><node index=\"0\" text=\"b\" /></node>"
                + "<node index=\"2\" text=\"c\" /></node>", walk(root, budget(5000, 128)));
        for (FakeNode node : all(root)) {
            assertEquals(node.text, 1, node.released);
        }
    }

    @Test
    public void aParentOfNothingButMissingChildrenIsALeaf() throws Exception {
        assertEquals("<node index=\"0\" text=\"r\" />", walk(new FakeNode("r", null, null), budget(10, 10)));
    }

    @Test
    public void tooManyNodesCutTheRestAndCloseWhatIsOpen() throws Exception {
        FakeNode notFetched = new FakeNode("e");
        notFetched.goesAway = true;
        FakeNode root = new FakeNode("r", new FakeNode("a", new FakeNode("b"), new FakeNode("c")), new FakeNode("d"), notFetched);
        Budget budget = budget(3, 128);
        assertEquals("<node index=\"0\" text=\"r\"><node index=\"0\" text=\"a\"><node index=\"0\" text=\"b\" /></node></node>",
                walk(root, budget));
        assertTrue(budget.truncated());
        assertEquals("nodes", budget.truncatedBy());
        assertEquals(3, budget.nodes());
    }

    @Test
    public void exactlyAsManyNodesAsAllowedAreNotTruncated() throws Exception {
        Budget budget = budget(2, 128);
        walk(new FakeNode("r", new FakeNode("a")), budget);
        assertFalse(budget.truncated());
        assertNull(budget.truncatedBy());
    }

    @Test
    public void theDepthLimitKeepsTheNodeAndDropsItsChildren() throws Exception {
        FakeNode root = new FakeNode("r", new FakeNode("a", new FakeNode("b")), new FakeNode("c"));
        Budget budget = budget(5000, 1);
        assertEquals("<node index=\"0\" text=\"r\"><node index=\"0\" text=\"a\" /><node index=\"1\" text=\"c\" /></node>",
                walk(root, budget));
        assertEquals("depth", budget.truncatedBy());
        Budget flat = budget(5000, 0);
        assertEquals("<node index=\"0\" text=\"r\" />", walk(new FakeNode("r"), flat));
        assertFalse(flat.truncated());
    }

    @Test
    public void fiveThousandNodesAndAHundredThousandLevelsFit() throws Exception {
        FakeNode wide = new FakeNode("wide");
        for (int i = 0; i < 4999; i++) {
            wide.children.add(new FakeNode("n" + i));
        }
        Budget budget = budget(5000, 128);
        String xml = walk(wide, budget);
        assertTrue(xml.contains("n4998"));
        assertFalse(budget.truncated());

        FakeNode deep = new FakeNode("leaf");
        for (int i = 0; i < 100000; i++) {
            deep = new FakeNode("", deep);
        }
        XmlWriter out = new XmlWriter();
        new TreeWalker<FakeNode>(new FakeNode.Reader(), out, budget(1000000, 1000000)).walk(deep, 0, null);
        assertTrue(out.toString().contains("leaf"));
    }

    @Test
    public void aWalkEndsAtItsDeadline() throws Exception {
        FakeNode wide = new FakeNode("wide");
        for (int i = 0; i < 4999; i++) {
            wide.children.add(new FakeNode("n" + i));
        }
        Budget budget = budget(5000, 128);
        clock.step = 100;
        walk(wide, budget);
        assertEquals("time", budget.truncatedBy());
        assertTrue(budget.nodes() < 200);
    }

    @Test
    public void aWalkEndsAtItsSize() throws Exception {
        FakeNode root = new FakeNode("r");
        for (int i = 0; i < 10; i++) {
            root.children.add(new FakeNode("0123456789012345678901234567890123456789"));
        }
        Budget budget = new Budget(5000, 128, 1000, 300, clock);
        walk(root, budget);
        assertEquals("bytes", budget.truncatedBy());
    }

    @Test
    public void aNodeThatGoesAwayReleasesTheOthers() throws Exception {
        FakeNode gone = new FakeNode("gone");
        gone.goesAway = true;
        FakeNode root = new FakeNode("r", new FakeNode("a", gone));
        try {
            walk(root, budget(10, 10));
            fail();
        } catch (IllegalStateException expected) {
            assertEquals(1, root.released);
            assertEquals(1, root.children.get(0).released);
        }
    }
}
