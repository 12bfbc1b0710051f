package dev.agentdevice.helper.capture;

import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;

final class FakeNode {
    final String text;
    final List<FakeNode> children = new ArrayList<FakeNode>();
    int released;
    boolean goesAway;

    FakeNode(String text, FakeNode... children) {
        this.text = text;
        this.children.addAll(Arrays.asList(children));
    }

    static final class Reader implements NodeReader<FakeNode> {
        @Override
        public int childCount(FakeNode node) {
            return node.children.size();
        }

        @Override
        public FakeNode child(FakeNode node, int index) {
            FakeNode child = node.children.get(index);
            if (child != null && child.goesAway) {
                throw new IllegalStateException("gone");
            }
            return child;
        }

        @Override
        public void attributes(FakeNode node, XmlWriter out) {
            out.attribute("text", node.text);
        }

        @Override
        public void release(FakeNode node) {
            node.released++;
        }
    }
}
