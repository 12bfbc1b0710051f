/// What happens to nodes that can't be seen.
public enum FoldPolicy: Sendable {
    /// iOS: nodes are clipped by the scroll containers around them, and what lies outside becomes a hint.
    case cursorProjected
    /// The other platforms: the viewport alone counts.
    case plainViewport
}

/// The visibility fold: which nodes of a tree can be seen, which part of them, and which containers hide more.
///
/// A node is only removed by geometric evidence. One pass in document order: what a node needs to know of its ancestors is
/// settled before its turn comes.
struct Fold {
    struct Verdict: Equatable {
        var isIncluded: Bool
        /// The reported frame within all clips; `nil` for a node without a known place.
        var effective: Rect?
        /// What all clips around the node leave open.
        var clip: Rect
        var hidesAbove = false
        var hidesBelow = false
    }

    private(set) var verdicts: [Verdict] = []

    /// Lines and spacers: this thin and without a text nobody looks for them.
    private static let decoration = 1.0

    /// What a node hands down to its children.
    private struct Surroundings {
        var clip: Rect
        /// The container that says when something below it lies out of sight.
        var anchor: Int?
        var isRemoved: Bool
    }

    init(_ tree: RawTree, viewport: Rect?, policy: FoldPolicy, dropsInvisible: Bool) {
        let hasChildren = tree.hasChildren
        let screen = Surroundings(clip: viewport ?? .infinite, anchor: nil, isRemoved: false)
        var inner: [Surroundings] = []
        inner.reserveCapacity(tree.nodes.count)
        verdicts.reserveCapacity(tree.nodes.count)
        for (index, node) in tree.nodes.enumerated() {
            let around = node.parent.map { inner[$0] } ?? screen
            var below = around
            let type = node.attributes.type
            let effective = node.attributes.knownFrame?.intersection(around.clip)
            let isVisible = effective.map { !$0.isEmpty } ?? true
            var verdict = Verdict(isIncluded: true, effective: effective, clip: around.clip)
            if around.isRemoved {
                verdict.isIncluded = false
            } else if index > 0 && !type.isRoot {
                let isOut = !isVisible && (policy == .cursorProjected || dropsInvisible)
                verdict.isIncluded = !isOut && !Self.isDecoration(node.attributes)
                // A container takes its content with it. Any other node may have children that overflow it.
                below.isRemoved = isOut && policy == .cursorProjected && hasChildren[index] && (type.scrolls || type == .cell)
            }
            if policy == .cursorProjected, verdict.isIncluded, type.scrolls, hasChildren[index], let effective, !effective.isEmpty {
                below.clip = effective
                below.anchor = index
            }
            verdicts.append(verdict)
            inner.append(below)
            if let anchor = around.anchor { giveHint(to: anchor, from: node, isIncluded: verdict.isIncluded) }
        }
    }

    /// Types that are presented for their own sake. All others need a text, or they are only a level of nesting.
    private static let presented: Set<ElementType> = [
        .button, .cell, .checkBox, .collectionView, .link, .menuItem, .picker, .searchField, .secureTextField,
        .segmentedControl, .slider, .scrollView, .stepper, .switch, .tabBar, .table, .textField, .textView, .webView,
    ]

    static func isContent(_ attributes: NodeAttributes) -> Bool {
        presented.contains(attributes.type) || attributes.hasText
    }

    private static func isDecoration(_ attributes: NodeAttributes) -> Bool {
        guard let frame = attributes.knownFrame else { return false }
        return (frame.width <= decoration || frame.height <= decoration) && !attributes.hasText
    }

    /// Content wholly beyond an edge of its container says so there. Partial overlap is in sight; sideways there is no hint.
    private mutating func giveHint(to anchor: Int, from node: RawNode, isIncluded: Bool) {
        if node.parent == anchor, let indicator = ScrollIndicator(node.attributes) {
            verdicts[anchor].hidesAbove = verdicts[anchor].hidesAbove || indicator.hidesAbove
            verdicts[anchor].hidesBelow = verdicts[anchor].hidesBelow || indicator.hidesBelow
            return
        }
        // Only what would be presented in sight: the thumb of a scroll bar lies beyond a container of one page, and hidden views
        // report a zero frame in the corner of the screen.
        guard !isIncluded, Self.isContent(node.attributes) || node.isCut, !Self.isDecoration(node.attributes),
            let frame = node.attributes.knownFrame, frame.isUsable, let edge = verdicts[anchor].effective
        else { return }
        if frame.maxY <= edge.y { verdicts[anchor].hidesAbove = true }
        if frame.y >= edge.maxY { verdicts[anchor].hidesBelow = true }
    }
}

/// A vertical scroll bar that says where its container stands. It owns nothing: it belongs to its parent's edge alone, and its
/// track is shorter than the content, so it may give hints and never remove a node.
struct ScrollIndicator: Equatable {
    let hidesAbove: Bool
    let hidesBelow: Bool

    init?(_ attributes: NodeAttributes) {
        let label = (attributes.label ?? "").lowercased()
        guard attributes.type == .scrollBar || label.contains("scroll bar"), !label.contains("horizontal") else { return nil }
        guard attributes.type != .scrollBar || (attributes.knownFrame.map { $0.height >= $0.width } ?? true) else { return nil }
        // "…, 1 page": everything is in sight.
        guard label.split(whereSeparator: { !$0.isNumber }).last != "1", let part = Self.part(attributes.value) else {
            return nil
        }
        hidesAbove = part > 0.01
        hidesBelow = part < 0.99
    }

    /// `57%`, `57 %`, `57 Prozent`, `%57`, `0.57`: the number is what the languages have in common.
    private static func part(_ value: String?) -> Double? {
        guard let value else { return nil }
        let digits = value.drop { !$0.isNumber }.prefix { $0.isNumber || $0 == "." || $0 == "," }
        guard let number = Double(String(digits.map { $0 == "," ? "." : $0 })) else { return nil }
        let isFraction = digits.contains { $0 == "." || $0 == "," } && !value.contains("%") && number <= 1
        return isFraction ? number : number / 100
    }
}
