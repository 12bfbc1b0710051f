/// What makes two reports the same element: the tree of a view is often reported twice, once through each of two parents.
public struct IdentityKey: Hashable, Sendable {
    private let type: ElementType
    private let label: String?
    private let identifier: String?
    private let origin: Point
    private let size: Size?

    /// `nil` for an element without a place: nothing could tell it from its equals. With `includingSize`, two containers
    /// that begin at one point stay apart; without it the inner one of such a pair is lost (that platform's rule decides).
    public init?(_ attributes: NodeAttributes, includingSize: Bool) {
        guard let frame = attributes.knownFrame, !frame.isEmpty else { return nil }
        type = attributes.type
        label = attributes.label
        identifier = attributes.identifier
        origin = frame.origin
        size = includingSize ? frame.size : nil
    }
}
