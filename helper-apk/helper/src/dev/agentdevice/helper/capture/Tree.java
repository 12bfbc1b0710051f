package dev.agentdevice.helper.capture;

/** How the nodes of one kind hang together. Any call may throw when the node's window has gone. */
public interface Tree<N> {
    int childCount(N node);

    /** Null for a child that can't be had. */
    N child(N node, int index);

    void release(N node);
}
