package dev.agentdevice.helper.capture;

import java.util.ArrayDeque;

/** Writes a subtree in document order. The stack is explicit: trees are as deep as the app under test wants them. */
public final class TreeWalker<N> {
    /** Attributes that only the root of a window has. */
    public interface RootAttributes {
        void write(XmlWriter out);
    }

    private final NodeReader<N> reader;
    private final XmlWriter out;
    private final Budget budget;

    public TreeWalker(NodeReader<N> reader, XmlWriter out, Budget budget) {
        this.reader = reader;
        this.out = out;
        this.budget = budget;
    }

    private static final class Frame<N> {
        final N node;
        final int children;
        int next;

        Frame(N node, int children) {
            this.node = node;
            this.children = children;
        }
    }

    /** Releases every node that it got, the root too, also when a node's window goes away under it. */
    public void walk(N root, int index, RootAttributes window) {
        ArrayDeque<Frame<N>> stack = new ArrayDeque<Frame<N>>();
        N held = root;
        try {
            if (!budget.take(out.length())) {
                return;
            }
            stack.push(enter(root, index, 0, window));
            held = null;
            while (!stack.isEmpty()) {
                Frame<N> top = stack.peek();
                if (top.next >= top.children) {
                    out.closeNode();
                    stack.pop();
                    reader.release(top.node);
                    continue;
                }
                int at = top.next++;
                held = reader.child(top.node, at);
                if (held == null) {
                    continue;
                }
                if (!budget.take(out.length())) {
                    // Everything after this is lost as well: close what is open.
                    reader.release(held);
                    held = null;
                    for (Frame<N> frame : stack) {
                        frame.next = frame.children;
                    }
                    continue;
                }
                stack.push(enter(held, at, stack.size(), null));
                held = null;
            }
        } finally {
            if (held != null) {
                reader.release(held);
            }
            for (Frame<N> frame : stack) {
                reader.release(frame.node);
            }
        }
    }

    private Frame<N> enter(N node, int index, int depth, RootAttributes window) {
        out.openNode();
        out.attribute("index", index);
        if (window != null) {
            window.write(out);
        }
        reader.attributes(node, out);
        int children = reader.childCount(node);
        if (children > 0 && depth >= budget.maxDepth) {
            budget.cutDepth();
            children = 0;
        }
        return new Frame<N>(node, children);
    }
}
