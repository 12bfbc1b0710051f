/// The app that commands are for: brought forward when it has to be, served in place when the system covers it.
public final class TargetKeeper: Sendable {
    /// What a command acts on.
    public struct Target: Equatable, Sendable {
        public var bundleId: String?
        public var processId: Int32?
        /// The system's surface that stands for the app.
        public var surface: SystemSurface?

        var capture: CaptureTarget { CaptureTarget(bundleId: bundleId, pid: processId) }
    }

    /// How long an app that has come forward gets before it is touched, in seconds.
    static let afterActivation = 0.25
    /// How long the accessibility service gets between a capture and a touch, in seconds.
    static let afterSnapshot = 0.2

    private struct State {
        var target = Target()
        /// The uptime before which no interaction begins. Spent by the first one.
        var settled = 0.0
    }

    private let driver: any TargetDriver
    private let time: any TimeSource
    private let state = Locked(State())

    init(_ driver: any TargetDriver, time: any TimeSource) {
        self.driver = driver
        self.time = time
    }

    /// What the running command acts on.
    public var target: Target { state.withLock { $0.target } }

    /// On the main thread, before a command.
    ///
    /// - Returns: the uptime before which the command must not begin.
    func prepare(_ bundleId: String?, for command: Command, _ traits: CommandTraits) throws -> Double {
        if let surface = driver.surfaceInFront() {
            remember(Target(bundleId: surface.bundleId, processId: driver.processId(of: surface.bundleId), surface: surface))
        } else {
            try bringForward(bundleId, for: command, traits)
            remember(Target(bundleId: bundleId, processId: driver.processId(of: bundleId)))
        }
        guard traits.effect == .interacts else { return 0 }
        return state.withLock { state in
            defer { state.settled = 0 }
            return state.settled
        }
    }

    private func bringForward(_ bundleId: String?, for command: Command, _ traits: CommandTraits) throws {
        // An alert of the system would go away, or be covered, if the app came forward.
        if case .alert = command { return }
        switch driver.state(of: bundleId) {
        case .runningForeground: return
        case .notRunning where traits.isRead:
            throw RunnerError(
                .appNotRunning, bundleId.map { "app '\($0)' is not running" } ?? "no app was named",
                hint: "Open it first: a read starts nothing.")
        default:
            try driver.activate(bundleId)
            settle(for: Self.afterActivation)
        }
    }

    private func remember(_ target: Target) { state.withLock { $0.target = target } }

    /// The next interaction begins this much later at the earliest.
    func settle(for seconds: Double) {
        state.withLock { $0.settled = max($0.settled, time.uptime + seconds) }
    }

    func invalidate() {
        state.withLock { $0.target = Target() }
        driver.forgetHandles()
    }

    /// The host has replaced the app's process.
    func reset() {
        invalidate()
        settle(for: Self.afterActivation)
    }
}
