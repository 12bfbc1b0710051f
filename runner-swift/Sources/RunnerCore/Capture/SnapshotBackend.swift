/// One source of trees. It takes at most the time that it is given and says so when that was not enough.
public protocol SnapshotBackend {
    var kind: BackendKind { get }
    func acquire(_ request: AcquisitionRequest) throws(CaptureFailure) -> Acquisition
}

/// What a backend is asked for.
public struct AcquisitionRequest: Sendable, Equatable {
    public var interactiveOnly: Bool
    public var raw: Bool
    /// The deepest level of the tree that is wanted, the root being 0. `nil` for all: in regular views, where the levels that are
    /// presented count and many levels of the tree may lie between two of them, and with a scope, whose root may lie anywhere.
    public var depth: Int?
    public var customActions: Bool
    /// Seconds for the acquisition itself.
    public var slice: Double
    /// Seconds for reading attributes and the viewport afterwards.
    public var processing: Double
    public var viewport: Double
    /// The end of the whole plan. Chained calls of one backend share it.
    public var deadline: Deadline
    /// Whose depth limit may be remembered.
    public var target: CaptureTarget
}

/// What a backend read.
public struct Acquisition: Sendable, Equatable {
    public var tree: RawTree
    /// As the app reports it, in interface space.
    public var viewport: Rect?
    /// Set where windows may report in native space: their frames are then turned before anything is made of them.
    public var windowSpace: WindowSpace?
    /// Whether something that exists is missing.
    public var truncated: Bool
    /// The level down to which the tree is complete, when it is not complete.
    public var effectiveDepth: Int?
    public var customActions: CustomActionsCoverage?

    public init(
        tree: RawTree, viewport: Rect? = nil, windowSpace: WindowSpace? = nil, truncated: Bool = false,
        effectiveDepth: Int? = nil, customActions: CustomActionsCoverage? = nil
    ) {
        self.tree = tree
        self.viewport = viewport
        self.windowSpace = windowSpace
        self.truncated = truncated
        self.effectiveDepth = effectiveDepth
        self.customActions = customActions
    }
}

/// Why a backend gave no tree.
public enum CaptureFailure: Error, Equatable, Sendable {
    /// The accessibility service refuses to serialise the tree.
    case axRejected(String)
    /// The time was not enough. The call may go on in the background; whoever waits for it is counted elsewhere.
    case timedOut
    case failed(String)
    /// A raw tree beyond the limit: it is refused, never silently shortened.
    case tooLarge(limit: Int)

    /// Sorts an error text of the accessibility layer.
    public init(message: String) {
        self = Self.isAXRejection(message) ? .axRejected(message) : .failed(message)
    }

    /// Whether a text says that the accessibility service refused to serialise the tree.
    public static func isAXRejection(_ message: String) -> Bool {
        let text = message.lowercased()
        return text.contains("kaxerrorillegalargument") || (text.contains("illegal argument") && text.contains("snapshot"))
    }

    var message: String {
        switch self {
        case .axRejected(let message), .failed(let message): message
        case .timedOut: "the capture timed out"
        case .tooLarge(let limit): "the raw tree has more than \(limit) nodes; ask for a scope or a depth"
        }
    }

    var reason: Quality.Reason {
        switch self {
        case .axRejected: .axRejected
        case .timedOut: .budget
        case .failed, .tooLarge: .captureFailed
        }
    }
}

/// The app that a capture is of. Another pid is another app: what was learned about the old one does not hold.
public struct CaptureTarget: Hashable, Sendable {
    public var bundleId: String?
    public var pid: Int32?

    public init(bundleId: String? = nil, pid: Int32? = nil) {
        self.bundleId = bundleId
        self.pid = pid
    }
}
