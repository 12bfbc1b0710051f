/// The way to the main thread: every piece of work has a budget, and work that overruns it is abandoned, never waited for.
///
/// XCTest can hang for minutes in one accessibility call, and nothing can stop such a call. To queue behind it would make every
/// later command time out as well, so they are refused while abandoned work is under way: a refusal is quick, and it proves
/// that the command did not run. Work that stays for two minutes will not end; then only a restart helps.
public final class MainThreadGate: Sendable {
    /// The budget of an ordinary command, in seconds.
    public static let ordinaryBudget = 30.0
    /// How long abandoned work may take until the runner counts as wedged, in seconds.
    public static let wedgedAfter = 120.0

    private struct Abandoned {
        var count = 0
        /// The uptime of the first of them.
        var since: Double?
    }

    private enum Ticket<Value: Sendable>: Sendable {
        case pending
        case ended(Result<Value, any Error>)
        case abandoned
    }

    private let executor: any WorkQueue
    private let time: any TimeSource
    private let markers: Markers
    private let abandoned = Locked(Abandoned())

    public init(executor: any WorkQueue, time: any TimeSource, markers: Markers) {
        self.executor = executor
        self.time = time
        self.markers = markers
    }

    /// Whether abandoned work occupies the main thread.
    public var isBusy: Bool { abandoned.withLock { $0.count > 0 } }

    /// Why no command may start now.
    public func refusal() -> RunnerError? {
        let (count, since) = abandoned.withLock { ($0.count, $0.since) }
        guard count > 0, let since else { return nil }
        let seconds = Int(time.uptime - since)
        if time.uptime - since > Self.wedgedAfter {
            return RunnerError(
                .runnerWedged, "the main thread has been occupied for \(seconds) s by abandoned work",
                hint: "Restart the runner: the work may never end.")
        }
        return RunnerError(
            .runnerBusy, "the main thread is occupied by abandoned work since \(seconds) s",
            hint: "Nothing was done. Try again in a moment.")
    }

    /// Runs work on the main thread and waits for it, `budget` seconds at most.
    ///
    /// - Throws: what the work throws; `RunnerError` with `mainThreadTimeout` when it overran its budget. It may still end later
    ///   and act on the app.
    public func run<Value: Sendable>(
        _ name: String, budget: Double = ordinaryBudget, _ work: @escaping @Sendable () throws -> Value
    ) throws -> Value {
        let ticket = Locked(Ticket<Value>.pending)
        let latch = Latch()
        executor.submit { [self] in
            let result = Result { try work() }
            // One lock decides whether the work was in time, so it is never both answered and counted.
            let wasAbandoned = ticket.withLock { ticket in
                if case .abandoned = ticket { return true }
                ticket = .ended(result)
                return false
            }
            if wasAbandoned { drained(name) }
            latch.open()
        }
        if time.wait(for: latch, until: time.uptime + budget), case .ended(let result) = ticket.withLock({ $0 }) {
            return try result.get()
        }
        let isUnderWay = ticket.withLock { ticket in
            if case .ended = ticket { return false }
            ticket = .abandoned
            // Counted under the ticket's lock: the work can't end in between and count down first.
            abandoned.withLock { abandoned in
                abandoned.count += 1
                abandoned.since = abandoned.since ?? time.uptime
            }
            return true
        }
        if isUnderWay { markers.write("MAIN_THREAD_WORK_ABANDONED", name) }
        throw RunnerError(
            .mainThreadTimeout, "main thread execution timed out: \(name) took longer than \(JSON.number(budget).text) s",
            hint: "It may still happen. Look at the screen before you act again.")
    }

    private func drained(_ name: String) {
        let isLast = abandoned.withLock { abandoned in
            abandoned.count -= 1
            if abandoned.count == 0 { abandoned.since = nil }
            return abandoned.count == 0
        }
        markers.write("MAIN_THREAD_WORK_DRAINED", name)
        if isLast { markers.write("ABANDONED_WORK_DRAINED") }
    }
}
