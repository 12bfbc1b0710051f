/// Which backends a capture tries, and in what order.
public struct CapturePlan: Equatable, Sendable {
    public struct Tier: Equatable, Sendable {
        public var backend: BackendKind
        /// Seconds for the recursive snapshot.
        public var treeSlice: Double
    }

    public var tiers: [Tier]
    /// Why even the first tier's answer is not the usual one.
    public var deviation: Quality.Reason?

    static let order: [BackendKind] = [.tree, .queries, .privateAX]

    /// The plan for a request.
    ///
    /// - Parameters:
    ///   - available: the backends of this device. Physical devices have no private one.
    ///   - isPenalised: whether XCTest's channel was slow for this app a short while ago. A regular plan then leaves it out if
    ///     anything else can read the screen, and probes it for a moment otherwise. Raw is exempt: its caller wants the
    ///     faithful tree or its error.
    public init(_ options: SnapshotOptions, available: Set<BackendKind>, isPenalised: Bool) {
        let usual = Self.order.filter { available.contains($0) && (!options.presentation.raw || $0.traits.givesRaw) }
        let independent = usual.filter { !$0.traits.usesXCTestChannel }
        var chosen = usual
        var slice = CaptureBudget.treeSlice
        if !options.presentation.raw {
            if let forced = options.forcedBackend, forced.traits.isForceable, available.contains(forced) {
                chosen = [forced]
                if forced != usual.first { deviation = .requestedBackend }
            } else if isPenalised && !independent.isEmpty {
                chosen = independent
                deviation = .deferred
            } else if isPenalised {
                slice = CaptureBudget.penalisedSlice
            }
        }
        tiers = chosen.map { Tier(backend: $0, treeSlice: slice) }
    }
}

/// What a snapshot command asks for.
public struct SnapshotOptions: Equatable, Sendable {
    public var presentation: PresentationOptions
    /// The backend that the caller wants, by its name on the wire. Unknown names ask for nothing.
    public var preferredBackend: BackendKind?
    public var customActions: Bool

    public init(
        _ presentation: PresentationOptions = PresentationOptions(), preferredBackend: BackendKind? = nil,
        customActions: Bool = false
    ) {
        self.presentation = presentation
        self.preferredBackend = preferredBackend
        self.customActions = customActions
        // A raw tree is not a compact one.
        if presentation.raw { self.presentation.interactiveOnly = false }
    }

    /// Custom actions can be read through the private client alone.
    var forcedBackend: BackendKind? { customActions ? .privateAX : preferredBackend }
}
