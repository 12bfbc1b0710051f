@testable import RunnerCore

/// A time that passes only while somebody waits for it, and things that happen at its moments.
final class ManualTime: TimeSource {
    private struct State {
        var now = 1000.0
        var events: [(at: Double, what: @Sendable () -> Void)] = []
    }

    private let state = Locked(State())

    var uptime: Double { state.withLock { $0.now } }

    func advance(_ seconds: Double) { _ = wait(for: Latch(), until: uptime + seconds) }

    func after(_ seconds: Double, _ what: @escaping @Sendable () -> Void) {
        state.withLock { $0.events.append(($0.now + seconds, what)) }
    }

    func wait(for latch: Latch, until deadline: Double) -> Bool {
        while !latch.isOpen {
            let due = state.withLock { state -> (@Sendable () -> Void)? in
                let next = state.events.indices.min { state.events[$0].at < state.events[$1].at }
                guard let next, state.events[next].at <= deadline else {
                    state.now = max(state.now, deadline)
                    return nil
                }
                state.now = max(state.now, state.events[next].at)
                return state.events.remove(at: next).what
            }
            guard let due else { return latch.isOpen }
            due()
        }
        return true
    }
}

/// A main thread on which each piece of work begins after a delay of its own, or never.
final class ManualMain: WorkQueue {
    private let time: ManualTime
    /// The delay of the next pieces of work, in seconds; nil: it never runs.
    private let delays = Locked([Double?]())

    init(_ time: ManualTime) { self.time = time }

    func delayNext(_ seconds: Double?...) { delays.withLock { $0 += seconds } }

    func submit(_ work: @escaping @Sendable () -> Void) {
        let delay = delays.withLock { $0.isEmpty ? .some(0) : $0.removeFirst() }
        if let delay { delay == 0 ? work() : time.after(delay, work) }
    }
}

/// Lines that were written.
final class Lines: Sendable {
    private let lines = Locked([String]())
    var all: [String] { lines.withLock { $0 } }
    var markers: Markers { Markers { [lines] line in lines.withLock { $0.append(line) } } }
}
