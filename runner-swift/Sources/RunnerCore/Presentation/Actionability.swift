/// Where the app's viewport comes from. What is missing proves nothing: a promised tap that can't land is worse than an
/// element that isn't called hittable.
public enum Viewport: Equatable, Sendable {
    public enum Absence: String, Sendable {
        case notProvided = "not-provided"
        case invalid
    }

    /// The app said it.
    case reported(Rect)
    /// Taken from the largest root of the tree.
    case derived(Rect)
    case missing(Absence)

    /// What was reported, if it can be a viewport; else the largest application or window of the tree.
    public init(reported: Rect?, tree: RawTree) {
        if let reported, reported.isUsable {
            self = .reported(reported)
            return
        }
        let roots = tree.nodes.lazy.filter { $0.attributes.type.isRoot }.compactMap(\.attributes.knownFrame)
        if let largest = roots.filter(\.isUsable).max(by: { $0.area < $1.area }) {
            self = .derived(largest)
        } else {
            self = .missing(reported == nil ? .notProvided : .invalid)
        }
    }

    public var rect: Rect? {
        switch self {
        case .reported(let rect), .derived(let rect): rect.isUsable ? rect : nil
        case .missing: nil
        }
    }
}

/// Whether a touch in the middle of an element would reach a place of the screen: geometry alone, nothing about what lies above.
public enum Actionability {
    public static func isHittable(frame: Rect?, isEnabled: Bool, isRoot: Bool, viewport: Rect?) -> Bool {
        guard !isRoot, isEnabled, let frame, frame.isUsable, let viewport, viewport.isUsable else { return false }
        return viewport.containsHalfOpen(frame.center)
    }
}
