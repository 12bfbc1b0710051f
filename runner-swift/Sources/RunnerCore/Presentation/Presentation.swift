/// What a caller asked to see.
public struct PresentationOptions: Equatable, Sendable {
    /// The compact view. The runner's nodes are the same on iOS: the host makes that view of them.
    public var interactiveOnly: Bool
    /// The deepest level: presented levels in a regular view, levels of the tree in a raw one; the root, or the scope's root, is 0.
    public var depth: Int?
    public var scope: String?
    /// The faithful tree: nothing folded, nothing dropped.
    public var raw: Bool

    public init(interactiveOnly: Bool = false, depth: Int? = nil, scope: String? = nil, raw: Bool = false) {
        self.interactiveOnly = interactiveOnly
        self.depth = depth
        self.scope = scope
        self.raw = raw
    }
}

/// A tree that broke a rule which the whole of it must keep.
public struct PresentationFailure: Error, Equatable, Sendable {
    public let message: String
}

/// Turns a captured tree into the nodes that go out: fold, check, scope, eligibility, depth.
public struct Presenter: Sendable {
    public let policy: FoldPolicy

    public init(policy: FoldPolicy) {
        self.policy = policy
    }

    public func present(_ tree: RawTree, viewport: Viewport, options: PresentationOptions) throws -> [PresentedNode] {
        let scope = Scope(options.scope)
        if options.raw { return raw(tree, viewport: viewport.rect, scope: scope, depth: options.depth) }
        let fold = Fold(tree, viewport: viewport.rect, policy: policy, dropsInvisible: options.interactiveOnly)
        let nodes = tree.nodes
        func survives(_ index: Int) -> Bool {
            fold.verdicts[index].isIncluded && (index == 0 || Fold.isContent(nodes[index].attributes))
        }
        let isHittable = nodes.indices.map { index in
            Actionability.isHittable(
                frame: fold.verdicts[index].effective, isEnabled: nodes[index].attributes.isEnabled, isRoot: index == 0,
                viewport: viewport.rect)
        }
        try Self.check(fold.verdicts, isHittable: isHittable)
        let presented = assemble(tree, range: range(of: scope, in: tree, contributes: survives), depth: options.depth) { index in
            guard survives(index) else { return nil }
            let verdict = fold.verdicts[index]
            let rect = verdict.effective.map { effective in
                effective.isEmpty ? Rect(origin: nodes[index].attributes.frame?.origin ?? Point(0, 0), size: Size(0, 0)) : effective
            }
            return Draft(
                rect: rect, isHittable: isHittable[index], hidesAbove: verdict.hidesAbove, hidesBelow: verdict.hidesBelow)
        }
        try Self.checkOrder(presented)
        return presented
    }

    private func raw(_ tree: RawTree, viewport: Rect?, scope: Scope?, depth: Int?) -> [PresentedNode] {
        assemble(tree, range: range(of: scope, in: tree) { _ in true }, depth: depth) { index in
            let attributes = tree.nodes[index].attributes
            return Draft(
                rect: attributes.frame,
                isHittable: Actionability.isHittable(
                    frame: attributes.frame, isEnabled: attributes.isEnabled, isRoot: index == 0, viewport: viewport))
        }
    }

    private func range(of scope: Scope?, in tree: RawTree, contributes: (Int) -> Bool) -> Range<Int> {
        guard let scope else { return tree.nodes.indices }
        return scope.subtree(in: tree, contributes: contributes) ?? 0..<0
    }

    private struct Draft {
        var rect: Rect?
        var isHittable: Bool
        var hidesAbove = false
        var hidesBelow = false
    }

    /// Numbers the nodes that have a draft, under their nearest ancestor that has one.
    private func assemble(
        _ tree: RawTree, range: Range<Int>, depth limit: Int?, draft: (Int) -> Draft?
    ) -> [PresentedNode] {
        var presented: [PresentedNode] = []
        /// Per node of the range, the presented node that its children belong to.
        var owners: [Int?] = []
        owners.reserveCapacity(range.count)
        for index in range {
            let node = tree.nodes[index]
            let owner = node.parent.flatMap { range.contains($0) ? owners[$0 - range.lowerBound] : nil }
            let depth = owner.map { presented[$0].depth + 1 } ?? 0
            // A node that is cut leaves its children at the same depth, so they are cut with it.
            guard depth <= limit ?? .max, let draft = draft(index) else {
                owners.append(owner)
                continue
            }
            var made = PresentedNode(
                node, source: index, index: presented.count, rect: draft.rect, isHittable: draft.isHittable, depth: depth,
                parentIndex: owner)
            made.hidesContentAbove = draft.hidesAbove
            made.hidesContentBelow = draft.hidesBelow
            owners.append(presented.count)
            presented.append(made)
        }
        return presented
    }

    /// Rounding of the clips' sums.
    private static let tolerance = 0.0001

    /// The cumulative clip invariant: what goes out lies within every clip around it, and what has no size is never hittable.
    static func check(_ verdicts: [Fold.Verdict], isHittable: [Bool]) throws {
        for (index, verdict) in verdicts.enumerated() where verdict.isIncluded {
            guard let effective = verdict.effective else { continue }
            if effective.isEmpty {
                if isHittable[index] { throw PresentationFailure(message: "node \(index) has no size and is called hittable") }
            } else if !verdict.clip.contains(effective, tolerance: tolerance) {
                throw PresentationFailure(message: "node \(index) lies outside the clip of its containers")
            }
        }
    }

    /// The order invariant: indexes are dense in document order, and a parent stands before its children, one level above.
    static func checkOrder(_ nodes: [PresentedNode]) throws {
        for (at, node) in nodes.enumerated() {
            let isPlaced = node.parentIndex.map { $0 < at && nodes[$0].depth + 1 == node.depth } ?? (node.depth == 0)
            let isLater = at == 0 || nodes[at - 1].source < node.source
            guard node.index == at, isPlaced, isLater else {
                throw PresentationFailure(message: "node \(at) is out of document order")
            }
        }
    }
}
