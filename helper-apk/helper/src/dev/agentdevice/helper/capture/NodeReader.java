package dev.agentdevice.helper.capture;

/** Reads one kind of node for a capture. */
public interface NodeReader<N> extends Tree<N> {
    /** Writes everything but {@code index} and the attributes of windows. */
    void attributes(N node, XmlWriter out);
}
