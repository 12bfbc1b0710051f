/// Reads the custom actions of elements that have swallowed their children: one call each, so only a few are asked.
public enum CustomActions {
    public static let mostElements = 12
    /// Seconds for one element.
    public static let slice = 1.0

    /// What one read gave.
    public enum Read: Equatable, Sendable {
        case names([String])
        case failed
        /// The call did not come back. The service works one call at a time, so the next would wait behind it.
        case hung
    }

    /// Adds the names to the leaves of `tree` that are one element each, those on screen first.
    public static func add(
        to tree: inout RawTree, viewport: Rect?, deadline: Deadline, uptime: () -> Double, read: (Int) -> Read
    ) -> CustomActionsCoverage {
        let hasChildren = tree.hasChildren
        let leaves = tree.nodes.indices.filter { index in
            index > 0 && !hasChildren[index] && !(tree.nodes[index].attributes.label ?? "").isBlank
        }
        func isOnScreen(_ index: Int) -> Bool {
            guard let frame = tree.nodes[index].attributes.knownFrame, let viewport else { return false }
            return frame.intersects(viewport)
        }
        let onScreen = leaves.filter(isOnScreen)
        let candidates = onScreen + leaves.filter { !isOnScreen($0) }
        var coverage = CustomActionsCoverage(
            read: 0, candidates: candidates.count, truncated: candidates.count > mostElements, blocked: false)
        for index in candidates.prefix(mostElements) {
            if deadline.hasPassed(at: uptime()) {
                coverage.truncated = true
                break
            }
            switch read(index) {
            case .names(let names):
                coverage.read += 1
                tree.setActions(TextLimit.actions(names), of: index)
            case .failed: continue
            case .hung:
                coverage.blocked = true
                return coverage
            }
        }
        return coverage
    }
}
