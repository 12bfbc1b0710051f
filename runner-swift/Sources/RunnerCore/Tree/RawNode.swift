/// What one element reports, before any rule is applied. Absent is not false or empty: an unread fact is `nil`.
public struct NodeAttributes: Equatable, Sendable {
    public var type: ElementType
    public var label: String?
    public var identifier: String?
    public var value: String?
    /// The hint of an empty field.
    public var placeholder: String?
    /// In interface space. `nil` when the element reports none.
    public var frame: Rect?
    public var isEnabled: Bool
    public var isFocused: Bool
    public var isSelected: Bool

    public init(
        _ type: ElementType, label: String? = nil, identifier: String? = nil, value: String? = nil,
        placeholder: String? = nil, frame: Rect? = nil, isEnabled: Bool = true, isFocused: Bool = false,
        isSelected: Bool = false
    ) {
        self.type = type
        self.label = label
        self.identifier = identifier
        self.value = value
        self.placeholder = placeholder
        self.frame = frame
        self.isEnabled = isEnabled
        self.isFocused = isFocused
        self.isSelected = isSelected
    }

    /// The frame, if it says where the element is. A zero frame is a known place without a size.
    public var knownFrame: Rect? {
        guard let frame, frame.isFinite, frame.width >= 0, frame.height >= 0 else { return nil }
        return frame
    }

    /// Whether it says anything that a person or a script could name it by.
    public var hasText: Bool { [label, identifier, value].contains { !($0 ?? "").isBlank } }
}

extension ElementType {
    /// What a value that is reported says: an empty one that a field is empty, and of anything else nothing.
    public func value(reported: String?) -> String? {
        reported.flatMap { $0.isEmpty && !takesText ? nil : $0 }
    }
}

extension String {
    public var isBlank: Bool { allSatisfy(\.isWhitespace) }

    /// The text without white space around it, `nil` when nothing is left.
    public var trimmedOrNil: String? {
        let text = trimmed
        return text.isEmpty ? nil : text
    }

    public var trimmed: String {
        guard let first = firstIndex(where: { !$0.isWhitespace }), let last = lastIndex(where: { !$0.isWhitespace }) else {
            return ""
        }
        return String(self[first...last])
    }
}

/// One element of a captured tree, in document order.
public struct RawNode: Equatable, Sendable {
    public var attributes: NodeAttributes
    /// 0 for the root.
    public var depth: Int
    /// Always smaller than the node's own index.
    public var parent: Int?
    /// Whether the element has children that were not read because the depth limit was reached.
    public var isCut: Bool
    /// Names of custom actions, where they were read.
    public var actions: [String]

    public init(
        _ attributes: NodeAttributes, depth: Int, parent: Int?, isCut: Bool = false, actions: [String] = []
    ) {
        self.attributes = attributes
        self.depth = depth
        self.parent = parent
        self.isCut = isCut
        self.actions = actions
    }
}

/// A captured tree in one flat array: children come after their parent and together. Trees come from apps under test and may be
/// thousands of levels deep, so nothing here or in what works on it calls itself per level.
public struct RawTree: Equatable, Sendable {
    public private(set) var nodes: [RawNode]

    public init() {
        nodes = []
    }

    /// A tree of these nodes. Parents that don't precede their children are dropped, and depths are made to fit.
    public init(_ nodes: [RawNode]) {
        self.init()
        for node in nodes { append(node.attributes, under: node.parent, isCut: node.isCut, actions: node.actions) }
    }

    @discardableResult
    public mutating func append(
        _ attributes: NodeAttributes, under parent: Int?, isCut: Bool = false, actions: [String] = []
    ) -> Int {
        let known = parent.flatMap { nodes.indices.contains($0) ? $0 : nil }
        let depth = known.map { nodes[$0].depth + 1 } ?? 0
        nodes.append(RawNode(attributes, depth: depth, parent: known, isCut: isCut, actions: actions))
        return nodes.count - 1
    }

    public mutating func setActions(_ actions: [String], of index: Int) {
        nodes[index].actions = actions
    }

    mutating func setLabel(_ label: String, of index: Int) {
        nodes[index].attributes.label = label
    }

    public mutating func setCut(_ isCut: Bool, of index: Int) {
        nodes[index].isCut = isCut
    }

    /// For each node the index one past its last descendant.
    public var subtreeEnds: [Int] {
        var ends = Array(nodes.indices.map { $0 + 1 })
        for index in nodes.indices.reversed() {
            if let parent = nodes[index].parent { ends[parent] = max(ends[parent], ends[index]) }
        }
        return ends
    }

    /// For each node whether another one names it as its parent.
    public var hasChildren: [Bool] {
        var answer = Array(repeating: false, count: nodes.count)
        for node in nodes {
            if let parent = node.parent { answer[parent] = true }
        }
        return answer
    }
}
