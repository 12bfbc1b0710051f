/// Bars whose entries are missing from the tree although queries find them.
public enum CollapsedTabs {
    public static let barTypes: Set<ElementType> = [.tabBar, .segmentedControl, .slider]
    public static let entryTypes: [ElementType] = [.button, .link, .menuItem, .other, .staticText]
    /// A single entry is a label of the bar.
    private static let fewest = 2

    /// Whether a bar without children is shaped like one with several entries.
    public static func mayBeCollapsed(_ bar: NodeAttributes, hasChildren: Bool) -> Bool {
        guard !hasChildren, barTypes.contains(bar.type), let frame = bar.knownFrame, frame.isUsable else { return false }
        return frame.width >= max(160, 1.75 * frame.height)
    }

    /// The entries of the bar among elements found elsewhere; empty when they don't make a row of at least two.
    public static func entries(of bar: NodeAttributes, among elements: [NodeAttributes]) -> [NodeAttributes] {
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
