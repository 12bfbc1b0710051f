package dev.agentdevice.helper.capture;

/** Reads one kind of node. Any call may throw when the node's window has gone. */
public interface NodeReader<N> {
    int childCount(N node);

    /** Null for a child that can't be had. */
    N child(N node, int index);

    /** Writes everything but {@code index} and the attributes of windows. */
    void attributes(N node, XmlWriter out);

    void release(N node);
}
