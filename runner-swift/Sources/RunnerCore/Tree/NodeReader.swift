/// Reads one element of some accessibility source. What a handle is, the source knows: a snapshot, a dictionary, a reference.
public protocol NodeReader {
    associatedtype Handle

    func attributes(of handle: Handle) throws -> NodeAttributes
    func children(of handle: Handle) throws -> [Handle]
}

/// How a tree is read.
public struct ReadOptions: Sendable {
    /// More nodes than this end the read as `NodeLimitExceeded`. `nil` for regular captures: a tab bar comes last in document
    /// order and must not fall to a cut-off.
    public var maxNodes: Int?
    /// The deepest level that is read; the root is level 0.
    public var maxDepth: Int?
    /// Whether an element that is reported twice is kept once. Raw trees keep everything.
    public var mergesDuplicates = true
    public var identityIncludesSize = true
    /// Whether rows without a name of their own get that of their content.
    public var derivesLabels = true

    public init() {}

    /// A faithful tree.
    public static var raw: ReadOptions {
        var options = ReadOptions()
        options.mergesDuplicates = false
        options.derivesLabels = false
        return options
    }
}

public struct NodeLimitExceeded: Error, Equatable {
    public let limit: Int
}

/// A tree as it was read, and whether a text in it had to be cut.
public struct ReadTree: Equatable, Sendable {
    public var tree: RawTree
    public var hasCutTexts: Bool
}

extension NodeReader {
    /// Reads the tree below `root` in document order.
    ///
    /// `check` is called before each element is touched and may throw: a read goes through the app's main thread and can take
    /// arbitrarily long.
    public func read(
        _ root: Handle, options: ReadOptions = ReadOptions(), check: () throws -> Void = {}
    ) throws -> ReadTree {
        var tree = RawTree()
        var seen = Set<IdentityKey>()
        var hasCutTexts = false
        var pending: [(handle: Handle, parent: Int?)] = [(root, nil)]
        while let (handle, parent) = pending.popLast() {
            try check()
            let (attributes, isCut) = try attributes(of: handle).limited()
            hasCutTexts = hasCutTexts || isCut
            var index = parent
            let key = options.mergesDuplicates
                ? IdentityKey(attributes, includingSize: options.identityIncludesSize) : nil
            if key.map({ seen.insert($0).inserted }) ?? true {
                if let limit = options.maxNodes, tree.nodes.count >= limit { throw NodeLimitExceeded(limit: limit) }
                index = tree.append(attributes, under: parent)
            }
            let children = try children(of: handle)
            if let index, let limit = options.maxDepth, tree.nodes[index].depth >= limit {
                tree.setCut(!children.isEmpty, of: index)
                continue
            }
            pending += children.reversed().map { ($0, index) }
        }
        if options.derivesLabels { tree.deriveLabels() }
        return ReadTree(tree: tree, hasCutTexts: hasCutTexts)
    }
}

extension RawTree {
    /// How far below a row its name may stand.
    private static let labelReach = 4
    /// What people touch for its own sake and call by what is written on it. Containers get no names: each level around a text
    /// would match a selector for it.
    private static let named: Set<ElementType> = [.button, .cell, .checkBox, .link, .menuItem, .switch]

    /// Gives each row without a label its value, or else the first label found inside.
    mutating func deriveLabels() {
        let ends = subtreeEnds
        var derived: [(Int, String)] = []
        for (index, node) in nodes.enumerated() where Self.named.contains(node.attributes.type) {
            guard (node.attributes.label ?? "").isBlank else { continue }
            if let value = node.attributes.value, !value.isBlank {
                derived.append((index, value))
                continue
            }
            var at = index + 1
            while at < ends[index] {
                if let label = nodes[at].attributes.label, !label.isBlank {
                    derived.append((index, label))
                    break
                }
                at = nodes[at].depth - node.depth >= Self.labelReach ? ends[at] : at + 1
            }
        }
        for (index, label) in derived { setLabel(label, of: index) }
    }
}
