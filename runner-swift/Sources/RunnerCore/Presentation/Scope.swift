/// Restricts a snapshot to the subtree of the first element that a text names.
public struct Scope: Equatable, Sendable {
    private let wanted: String

    /// `nil` for a blank text: unscoped.
    public init?(_ text: String?) {
        guard let text = text?.trimmedOrNil else { return nil }
        wanted = text.lowercased()
    }

    /// Whether label, identifier or value contain the text, without case. The type never matches: `button` names a text.
    public func matches(_ attributes: NodeAttributes) -> Bool {
        [attributes.label, attributes.identifier, attributes.value].contains { $0?.lowercased().contains(wanted) ?? false }
    }

    /// The subtree of the first match in document order of which `contributes` holds for at least one node; `nil` when
    /// there is none, which means an empty snapshot and never the whole one.
    func subtree(in tree: RawTree, contributes: (Int) -> Bool) -> Range<Int>? {
        let ends = tree.subtreeEnds
        return tree.nodes.indices.lazy.filter { matches(tree.nodes[$0].attributes) }.map { $0..<ends[$0] }
            .first { $0.contains(where: contributes) }
    }
}
