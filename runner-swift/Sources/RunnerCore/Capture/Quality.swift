/// How far a capture can be trusted. It is made once, here; nobody derives it again from the shape of a tree.
public struct Quality: Equatable, Sendable {
    public enum State: String, Sendable, CaseIterable {
        /// The first source gave a usable tree.
        case healthy
        /// Another source had to answer.
        case recovered
        /// The tree is degraded: that something is missing proves nothing.
        case sparse
    }

    public enum Reason: String, Sendable, CaseIterable {
        case noNodes = "no-nodes"
        case sparseTree = "sparse-tree"
        case budget
        /// XCTest's channel was slow a short while ago, so it was left out.
        case deferred
        case requestedBackend = "requested-backend"
        case axRejected = "ax-rejected"
        case captureFailed = "capture-failed"
        case presentationFailed = "presentation-failed"
    }

    public struct Timing: Equatable, Sendable {
        public var acquisitionMs: Double
        public var presentationMs: Double
    }

    public var state: State
    public var backend: BackendKind
    public var reason: String?
    public var reasonCode: Reason?
    public var effectiveDepth: Int?
    public var collapsedLeafIndexes: [Int] = []
    public var customActions: CustomActionsCoverage?
    public var timing: Timing?

    public init(_ state: State, backend: BackendKind, reasonCode: Reason? = nil, reason: String? = nil) {
        self.state = state
        self.backend = backend
        self.reasonCode = reasonCode
        self.reason = reason
    }

    /// What to know about the tree in words, for consumers that don't read the structured verdict; `nil` when it is as usual.
    public var message: String? {
        let parts = [verdict, customActions?.gap].compactMap { $0 }
        return parts.isEmpty ? nil : parts.joined(separator: "; ")
    }

    private var verdict: String? {
        let why = (reason ?? reasonCode?.rawValue).map { ": \($0)" } ?? ""
        switch state {
        case .healthy: return nil
        case .recovered: return "snapshot recovered through \(backend.rawValue)\(why)"
        case .sparse: return "snapshot is degraded; that an element is missing proves nothing\(why)"
        }
    }

    public var json: JSON {
        .known([
            ("state", .string(state.rawValue)), ("backend", .string(backend.rawValue)), ("reason", reason.map(JSON.string)),
            ("reasonCode", reasonCode.map { .string($0.rawValue) }), ("effectiveDepth", effectiveDepth.map(JSON.integer)),
            ("collapsedLeafIndexes", collapsedLeafIndexes.isEmpty ? nil : .array(collapsedLeafIndexes.map(JSON.integer))),
            ("customActions", customActions?.json),
            ("timing", timing.map { timing in
                .object([
                    .init("acquisitionMs", .number(timing.acquisitionMs)),
                    .init("presentationMs", .number(timing.presentationMs)),
                ])
            }),
        ])
    }
}

/// Tells a degraded tree from a real screen.
public enum Sparseness {
    private static let structural: Set<String> = Set([ElementType.application, .window, .other, .scrollView].map(\.name))
    private static let roots: Set<String> = Set([ElementType.application, .window].map(\.name))
    /// A truncated read of so few nodes met its end before it met the screen.
    private static let fewest = 8

    /// Why these nodes are no screen; `nil` when they are one. Judge unscoped nodes: that a scope matches nothing says nothing
    /// about the screen.
    public static func reason(_ nodes: [PresentedNode], truncated: Bool) -> Quality.Reason? {
        if nodes.isEmpty { return .noNodes }
        let screens = nodes.filter { roots.contains($0.type) }.compactMap(\.rect)
        if nodes.allSatisfy({ structural.contains($0.type) && !isSemantic($0, screens: screens) }) { return .sparseTree }
        return truncated && nodes.count <= fewest ? .budget : nil
    }

    /// Whether a structural node says something about the screen. The title of the app or a window doesn't.
    private static func isSemantic(_ node: PresentedNode, screens: [Rect]) -> Bool {
        if !roots.contains(node.type) && [node.label, node.value].contains(where: { isText($0) }) { return true }
        guard isText(node.identifier) else { return false }
        // An identifier on a container that is the whole screen is a test hook of the app's frame.
        return node.isHittable || !(node.rect.map(screens.contains) ?? roots.contains(node.type))
    }

    /// Blank texts and the traces of a missing conversion to text say nothing.
    private static func isText(_ text: String?) -> Bool {
        guard let text = text?.trimmedOrNil else { return false }
        return text != "[object Object]"
    }

    /// Leaves that have swallowed their children: a container that is one accessibility element reads all its texts in one label.
    public static func collapsedLeaves(_ nodes: [PresentedNode]) -> [Int] {
        let parents = Set(nodes.compactMap(\.parentIndex))
        return nodes.filter { node in
            !parents.contains(node.index) && !node.type.lowercased().contains("text")
                && (node.label ?? "").split(separator: ",", omittingEmptySubsequences: false).count > mostSegments
        }.map(\.index)
    }

    private static let mostSegments = 10
}
