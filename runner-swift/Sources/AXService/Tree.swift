/// A tree that grows at any of its nodes: parents and siblings by index.
public struct Tree {
    public struct Node {
        public var facts: ElementFacts
        fileprivate(set) var firstChild: Int?
        fileprivate(set) var lastChild: Int?
        fileprivate(set) var nextSibling: Int?
    }

    public private(set) var nodes: [Node] = []
    /// Whether a limit of the request left something out.
    public var truncated = false

    /// Adds a node as the last child of `parent`.
    mutating func append(_ facts: ElementFacts, below parent: Int?) -> Int {
        let at = nodes.count
        nodes.append(Node(facts: facts))
        if let parent {
            if let last = nodes[parent].lastChild {
                nodes[last].nextSibling = at
            } else {
                nodes[parent].firstChild = at
            }
            nodes[parent].lastChild = at
        }
        return at
    }
}
