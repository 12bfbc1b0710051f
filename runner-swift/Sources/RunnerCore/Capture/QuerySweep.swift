/// A flat list of what typed queries find: what is left when the tree can't be read as a whole.
public enum QuerySweep {
    /// The types that are asked for, in order: what people act on comes first, because each query costs a full tree and the time
    /// may end.
    public static let order: [ElementType] = [
        .button, .link, .textField, .secureTextField, .searchField, .textView, .switch, .slider, .segmentedControl, .cell,
        .collectionView, .table, .scrollView, .picker, .stepper, .tabBar, .menuItem, .staticText, .image,
    ]

    /// Runs the queries and makes a tree of one level of their results.
    ///
    /// - Parameters:
    ///   - root: the app.
    ///   - query: the elements of one type.
    ///   - isOver: whether the time has ended; asked before each query.
    /// - Throws: what the query throws when nothing was found before; a rejection ends the sweep at once, because the next
    ///   query would go against the same broken tree.
    public static func run(
        root: NodeAttributes, identityIncludesSize: Bool = true,
        query: (ElementType) throws(CaptureFailure) -> [NodeAttributes], isOver: () -> Bool
    ) throws(CaptureFailure) -> Acquisition {
        var found: [NodeAttributes] = []
        var seen = Set<IdentityKey>()
        var truncated = false
        for type in order {
            if isOver() {
                truncated = true
                break
            }
            do {
                for attributes in try query(type) {
                    let (attributes, isCut) = attributes.limited()
                    truncated = truncated || isCut
                    let key = IdentityKey(attributes, includingSize: identityIncludesSize)
                    if key.map({ seen.insert($0).inserted }) ?? true { found.append(attributes) }
                }
            } catch {
                if found.isEmpty { throw error }
                truncated = true
                break
            }
        }
        if found.isEmpty && truncated { throw .timedOut }
        var tree = RawTree()
        tree.append(root, under: nil)
        for attributes in found.sorted(by: isBefore) { tree.append(attributes, under: 0) }
        return Acquisition(tree: tree, viewport: root.knownFrame, truncated: truncated)
    }

    /// In reading order. What has no place comes last.
    private static func isBefore(_ a: NodeAttributes, _ b: NodeAttributes) -> Bool {
        let (left, right) = (a.knownFrame ?? .null, b.knownFrame ?? .null)
        return (left.y, left.x, a.type.rawValue) < (right.y, right.x, b.type.rawValue)
    }
}
