/// Bars whose entries are missing from the tree although queries find them.
public enum CollapsedTabs {
    static let barTypes: Set<ElementType> = [.tabBar, .segmentedControl, .slider]
    static let entryTypes: [ElementType] = [.button, .link, .menuItem, .other, .staticText]
    /// A single entry is a label of the bar.
    private static let fewest = 2

    /// Whether a bar without children is shaped like one with several entries.
    static func mayBeCollapsed(_ bar: NodeAttributes, hasChildren: Bool) -> Bool {
        guard !hasChildren, barTypes.contains(bar.type), let frame = bar.knownFrame, frame.isUsable else { return false }
        return frame.width >= max(160, 1.75 * frame.height)
    }

    /// The tree with the entries of each bar that lacks them. Looks for elements, a type at a time, only where there is such a bar; a
    /// look that fails, or comes too late, costs nothing but the entries.
    public static func restore(
        in tree: RawTree, isOver: () -> Bool, find: (ElementType) throws -> [NodeAttributes]
    ) -> RawTree {
        let hasChildren = tree.hasChildren
        let bars = tree.nodes.indices.filter { mayBeCollapsed(tree.nodes[$0].attributes, hasChildren: hasChildren[$0]) }
        guard !bars.isEmpty else { return tree }
        var found: [NodeAttributes] = []
        for type in entryTypes where !isOver() {
            found += (try? find(type)) ?? []
        }
        var tree = tree
        for bar in bars {
            let entries = entries(of: tree.nodes[bar].attributes, among: found)
            for entry in entries.sorted(by: { ($0.knownFrame?.x ?? 0) < ($1.knownFrame?.x ?? 0) }) {
                tree.append(entry, under: bar)
            }
        }
        return tree.inDocumentOrder().tree
    }

    /// The entries of the bar among elements found elsewhere; empty when they don't make a row of at least two.
    static func entries(of bar: NodeAttributes, among elements: [NodeAttributes]) -> [NodeAttributes] {
        guard let frame = bar.knownFrame else { return [] }
        let inside = elements.filter { element in
            guard entryTypes.contains(element.type), element.hasText, let own = element.knownFrame, own.isUsable
            else { return false }
            return own.area < 0.9 * frame.area && frame.contains(own.center)
        }
        let middles = inside.compactMap { $0.knownFrame?.center.y }
        guard inside.count >= fewest, let top = middles.min(), let bottom = middles.max(),
            bottom - top <= max(24, 0.6 * frame.height)
        else { return [] }
        return inside
    }
}
