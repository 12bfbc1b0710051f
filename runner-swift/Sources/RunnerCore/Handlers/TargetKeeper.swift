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

    private let driver: any TargetDriver
    private let time: any TimeSource
    private let current = Locked(Target?.none)

    init(_ driver: any TargetDriver, time: any TimeSource) {
        self.driver = driver
        self.time = time
    }

    /// What the running command acts on.
    public var target: Target { current.withLock { $0 } ?? Target() }

    /// On the main thread, before a command.
    func prepare(_ bundleId: String?, for traits: CommandTraits) throws {
        if let surface = driver.surfaceInFront() {
            let pid = driver.processId(of: surface.bundleId)
            return current.withLock { $0 = Target(bundleId: surface.bundleId, processId: pid, surface: surface) }
        }
        let state = driver.state(of: bundleId)
        if traits.isRead, state == .notRunning {
            throw RunnerError(.appNotRunning, "app '\(bundleId ?? "")' is not running", hint: "Open it: a read starts nothing.")
        }
        if state != .runningForeground { try driver.activate(bundleId) }
        let pid = driver.processId(of: bundleId)
        current.withLock { $0 = Target(bundleId: bundleId, processId: pid) }
    }

    func invalidate() {
        current.withLock { $0 = nil }
        driver.forgetHandles()
    }

    func reset() { invalidate() }
}
