/// Whether the accessibility service serves this app. Drives how gestures may fall back and probe the keyboard.
public enum AXHealth: String, Sendable {
    case unknown
    case healthy
    case unavailable
}

/// The answer to a snapshot command.
public struct CaptureOutcome: Equatable, Sendable {
    public var nodes: [PresentedNode]
    public var truncated: Bool
    public var quality: Quality
    /// Set when the answer is usable and the session is not: the host has to start another one.
    public var runnerFatalReason: String?
    public var health: AXHealth
    /// A modal surface of the system is the snapshot.
    public var isModal = false

    /// Whether the app handle that the capture went through must be thrown away.
    public var invalidatesTarget: Bool { runnerFatalReason != nil }

    /// The members of the reply's `data`.
    public var members: [JSON.Member] {
        [
            .init("nodes", .array(nodes.map(\.json))), .init("truncated", .bool(truncated)),
            .init("snapshotQuality", quality.json),
        ]
    }
}

/// What looking for a modal surface of the system showed.
public enum ModalProbe: Equatable, Sendable {
    case none
    case found(ModalSurface)
    case timedOut
}

/// Runs a capture plan: backend after backend until one gives a tree that can be trusted, within one deadline.
public struct CaptureDriver {
    /// Everything that the driver touches.
    public struct Environment {
        public var backends: [any SnapshotBackend]
        public var presenter: Presenter
        public var memory: CaptureMemory
        /// Seconds of system uptime.
        public var uptime: () -> Double
        /// Whether a call that was given up is still occupying XCTest's channel. Another one would queue behind it.
        public var hasAbandonedWork: () -> Bool
        /// Looks for a modal surface, within so many seconds. `nil` where the system has none.
        public var probeModal: ((Double) -> ModalProbe)?
        /// Whether slow captures are remembered. Only iOS has a backend to go to instead.
        public var remembersSlowness: Bool

        public init(
            backends: [any SnapshotBackend], presenter: Presenter, memory: CaptureMemory, uptime: @escaping () -> Double,
            hasAbandonedWork: @escaping () -> Bool, probeModal: ((Double) -> ModalProbe)? = nil, remembersSlowness: Bool = true
        ) {
            self.backends = backends
            self.presenter = presenter
            self.memory = memory
            self.uptime = uptime
            self.hasAbandonedWork = hasAbandonedWork
            self.probeModal = probeModal
            self.remembersSlowness = remembersSlowness
        }
    }

    private let environment: Environment

    public init(_ environment: Environment) {
        self.environment = environment
    }

    /// Captures the target.
    ///
    /// - Parameter startedAt: the uptime at which the command began; what it spent before counts.
    /// - Throws: `RunnerError` for a raw capture that could not be made. The caller must then drop its app handle.
    public func capture(
        _ options: SnapshotOptions, of target: CaptureTarget, startedAt: Double
    ) throws(RunnerError) -> CaptureOutcome {
        let memory = environment.memory
        memory.begin(target)
        var run = Run(environment, options: options, target: target, startedAt: startedAt)
        if let modal = run.probeModal() { return modal }
        let plan = CapturePlan(
            options, available: Set(environment.backends.map(\.kind)),
            isPenalised: memory.isPenalised(target.bundleId, at: environment.uptime()))
        for tier in plan.tiers {
            if let outcome = try run.attempt(tier, plan: plan) { return outcome }
        }
        return try run.giveUp()
    }
}

/// One capture under way.
private struct Run {
    private let environment: CaptureDriver.Environment
    private let options: SnapshotOptions
    private let target: CaptureTarget
    private let deadline: Deadline

    /// The first thing that went wrong: what the answer is recovered from.
    private var firstFailure: (code: Quality.Reason, text: String)?
    private var rejection: String?
    private var presentationFailure: String?
    /// The largest degraded tree.
    private var best: CaptureOutcome?
    private var bestSize = 0

    init(_ environment: CaptureDriver.Environment, options: SnapshotOptions, target: CaptureTarget, startedAt: Double) {
        self.environment = environment
        self.options = options
        self.target = target
        deadline = Deadline(uptime: startedAt + CaptureBudget.plan)
    }

    private var now: Double { environment.uptime() }
    private var remaining: Double { deadline.remaining(at: now) }

    /// Raw captures neither arm the penalty nor obey it.
    private func penalise() {
        if environment.remembersSlowness && !options.presentation.raw { environment.memory.penalise(target, at: now) }
    }

    mutating func probeModal() -> CaptureOutcome? {
        guard let probe = environment.probeModal, !environment.hasAbandonedWork(), remaining > 0 else { return nil }
        switch probe(min(CaptureBudget.modalProbe, remaining)) {
        case .none: return nil
        case .timedOut:
            penalise()
            return nil
        case .found(let surface):
            return CaptureOutcome(
                nodes: surface.nodes, truncated: false, quality: Quality(.healthy, backend: .tree), health: .unknown,
                isModal: true)
        }
    }

    /// Tries one backend. `nil`: go on with the next.
    mutating func attempt(_ tier: CapturePlan.Tier, plan: CapturePlan) throws(RunnerError) -> CaptureOutcome? {
        let traits = tier.backend.traits
        if deadline.hasPassed(at: now) {
            note(.budget, "the capture's time was used up before \(tier.backend.rawValue)")
            return nil
        }
        if traits.usesXCTestChannel && environment.hasAbandonedWork() {
            note(.budget, "budget: an abandoned capture still occupies XCTest's channel")
            return nil
        }
        guard let backend = environment.backends.first(where: { $0.kind == tier.backend }) else { return nil }
        let started = now
        let acquisition: Acquisition
        do {
            defer {
                if traits.usesXCTestChannel && now - started > CaptureBudget.slow { penalise() }
            }
            acquisition = try backend.acquire(request(for: tier))
        } catch {
            if traits.usesXCTestChannel && error == .timedOut { penalise() }
            if case .axRejected(let message) = error { rejection = rejection ?? message }
            if case .tooLarge = error, options.presentation.raw {
                throw RunnerError(.rawSnapshotTooLarge, error.message)
            }
            note(error.reason, error.message)
            return nil
        }
        return finish(acquisition, tier: tier, plan: plan, acquired: now - started)
    }

    private func request(for tier: CapturePlan.Tier) -> AcquisitionRequest {
        let left = remaining
        let slice = switch tier.backend {
        case .tree: min(tier.treeSlice, CaptureBudget.treeSlice(remaining: left))
        case .queries: options.presentation.interactiveOnly ? min(CaptureBudget.interactiveSweep, left) : left
        case .privateAX: left
        }
        let presentation = options.presentation
        return AcquisitionRequest(
            interactiveOnly: presentation.interactiveOnly, raw: presentation.raw,
            depth: presentation.raw && Scope(presentation.scope) == nil ? presentation.depth : nil, customActions: options.customActions, slice: slice,
            processing: min(CaptureBudget.processing, max(CaptureBudget.shortestSlice, left)),
            viewport: min(CaptureBudget.viewport, max(CaptureBudget.shortestViewport, left)), deadline: deadline,
            target: target)
    }

    private mutating func finish(
        _ acquisition: Acquisition, tier: CapturePlan.Tier, plan: CapturePlan, acquired: Double
    ) -> CaptureOutcome? {
        let started = now
        let tree = acquisition.windowSpace.map(acquisition.tree.inInterfaceSpace) ?? acquisition.tree
        let viewport = Viewport(reported: acquisition.viewport, tree: tree)
        let nodes: [PresentedNode]
        let judged: [PresentedNode]
        do {
            nodes = try environment.presenter.present(tree, viewport: viewport, options: options.presentation)
            var unscoped = options.presentation
            unscoped.scope = nil
            unscoped.depth = nil
            judged = unscoped == options.presentation
                ? nodes : try environment.presenter.present(tree, viewport: viewport, options: unscoped)
        } catch {
            let message = (error as? PresentationFailure)?.message ?? "\(error)"
            presentationFailure = presentationFailure ?? message
            note(.presentationFailed, message)
            return nil
        }
        var quality = Quality(.healthy, backend: tier.backend)
        quality.effectiveDepth = acquisition.effectiveDepth
        quality.customActions = acquisition.customActions
        quality.collapsedLeafIndexes = Sparseness.collapsedLeaves(nodes)
        quality.timing = Quality.Timing(
            acquisitionMs: (acquired * 1000).rounded(), presentationMs: ((now - started) * 1000).rounded())
        var outcome = CaptureOutcome(
            nodes: nodes, truncated: acquisition.truncated || acquisition.effectiveDepth != nil, quality: quality,
            health: .healthy)
        if let reason = Sparseness.reason(judged, truncated: acquisition.truncated) {
            note(reason, "\(tier.backend.rawValue) gave a degraded tree")
            if best == nil || judged.count > bestSize {
                outcome.quality.state = .sparse
                outcome.truncated = true
                best = outcome
                bestSize = judged.count
            }
            return nil
        }
        if let firstFailure {
            outcome.quality.state = .recovered
            (outcome.quality.reasonCode, outcome.quality.reason) = (firstFailure.code, firstFailure.text)
        } else if let deviation = plan.deviation {
            outcome.quality.state = .recovered
            (outcome.quality.reasonCode, outcome.quality.reason) = (deviation, Self.text(of: deviation))
        }
        return outcome
    }

    private static func text(of deviation: Quality.Reason) -> String {
        deviation == .deferred
            ? "budget: XCTest's tree took more than \(Int(CaptureBudget.slow)) s within the last \(Int(CaptureBudget.penalty)) s"
            : "the caller asked for this backend"
    }

    private mutating func note(_ code: Quality.Reason, _ text: String) {
        firstFailure = firstFailure ?? (code, text)
    }

    /// No tier gave a tree that can be trusted.
    func giveUp() throws(RunnerError) -> CaptureOutcome {
        let failure = firstFailure ?? (.captureFailed, "no backend can read this screen")
        if options.presentation.raw {
            if let rejection { throw RunnerError(.snapshotFailed, rejection) }
            if best == nil {
                let code: ErrorCode = presentationFailure == nil ? .commandFailed : .snapshotPresentationFailed
                throw RunnerError(code, failure.text)
            }
        }
        // A screen whose tree can't be serialised has no trustworthy part: the compact view fails closed, as a root.
        let failsClosed = options.presentation.interactiveOnly && rejection != nil
        if !failsClosed, var best {
            (best.quality.reasonCode, best.quality.reason) = (failure.code, failure.text)
            best.health = rejection == nil ? .unknown : .unavailable
            return best
        }
        return Self.rootOnly(rejection: rejection, failure: failure)
    }

    private static func rootOnly(rejection: String?, failure: (code: Quality.Reason, text: String)) -> CaptureOutcome {
        var root = PresentedNode(
            RawNode(NodeAttributes(.application), depth: 0, parent: nil), source: 0, index: 0, rect: .zero, isHittable: false,
            depth: 0, parentIndex: nil)
        root.isEnabled = true
        let quality = Quality(
            .sparse, backend: .tree, reasonCode: rejection == nil ? failure.code : .axRejected, reason: rejection ?? failure.text)
        return CaptureOutcome(
            nodes: [root], truncated: true, quality: quality,
            runnerFatalReason: rejection == nil ? nil : "ax_snapshot_unavailable",
            health: rejection == nil ? .unknown : .unavailable)
    }
}
