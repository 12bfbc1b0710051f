import Foundation
import RunnerCore

#if canImport(Glibc)
import Glibc
#endif

/// The device that the fixture app runs on: one app, one screen, one lock.
final class SimDevice: FailureCounter {
    private struct State {
        var app: App
        var faults = Faults()
        var failures = 0
        var forgotten = 0
        /// Opens when faults are cleared, and ends what hangs.
        var mended = Latch()
    }

    let time: any TimeSource
    let platform: Platform
    private let state: Locked<State>

    init(_ platform: Platform = .iOS, time: any TimeSource, eventSink: (@Sendable (JSON) -> Void)? = nil) {
        self.time = time
        self.platform = platform
        var app = App(platform, now: time.uptime)
        app.log.sink = eventSink
        state = Locked(State(app: app))
    }

    /// Looks at the app, or changes it from beside the runner, at the present moment.
    func withApp<Result>(_ body: (inout App, Double) throws -> Result) rethrows -> Result {
        try state.withLock { try body(&$0.app, time.uptime) }
    }

    /// An input from the runner. All faults of inputs strike here.
    func act(_ body: (inout App, Double) -> Void) {
        if meet(.dieBefore) != nil { die() }
        if let milliseconds = meet(.hangBefore) { hang(milliseconds) }
        withApp(body)
        if meet(.recordedFailures) != nil { record("the element that was touched has vanished") }
        if meet(.dieAfter) != nil { die() }
        if let milliseconds = meet(.hangAfter) { hang(milliseconds) }
    }

    /// Pointers go down, move and are lifted; takes as long as they say.
    func touch(_ tracks: [[(offset: Double, point: Point)]]) {
        let contact = Contact(tracks: tracks)
        let hit = withApp { app, now in
            contact.tracks.first?.first.flatMap { first in app.scene(now).targetKey(at: first.point) }
        }
        time.pause(contact.duration)
        act { app, now in app.touch(contact, hit: hit, end: now) }
    }

    // MARK: Faults

    func arm(_ fault: Fault, _ number: Int) {
        state.withLock { state in
            state.faults.arm(fault, number)
            if fault == .stubbornAlerts { state.app.isStubborn = number > 0 }
        }
    }

    func clearFaults() {
        state.withLock { state in
            state.faults.clear()
            state.app.isStubborn = false
            state.mended.open()
            state.mended = Latch()
        }
    }

    var faults: [(Fault, Int)] { state.withLock { $0.faults.all } }

    func meet(_ fault: Fault) -> Int? { state.withLock { $0.faults.meet(fault) } }

    /// Occupies the thread; 0 ms: until faults are cleared.
    func hang(_ milliseconds: Int) {
        let mended = state.withLock { $0.mended }
        _ = time.wait(for: mended, until: milliseconds == 0 ? .infinity : time.uptime + Double(milliseconds) / 1000)
    }

    private func die() -> Never {
        // As the system ends a process: nothing is flushed, no connection is closed in order.
        kill(getpid(), SIGKILL)
        while true { sleep(1) }
    }

    // MARK: Handles

    /// How often the runner let go of its handles of apps.
    var forgotten: Int { state.withLock { $0.forgotten } }

    func forgetHandles() { state.withLock { $0.forgotten += 1 } }

    // MARK: Recorded failures

    var failures: Int { state.withLock { $0.failures } }

    func record(_ issue: String) { state.withLock { $0.failures += 1 } }
}

extension SimDevice {
    /// The runner's own session and handlers over this device.
    func session(
        gate: MainThreadGate, beside: any WorkQueue, markers: Markers, injection: (any FailureInjection)? = nil
    ) -> Session {
        let drivers = Drivers(
            platform: platform, target: SimTarget(device: self), elements: SimElements(device: self),
            gestures: SimGestures(device: self), text: SimText(device: self), keyboard: SimKeyboard(device: self),
            alerts: SimAlerts(device: self), screen: SimScreen(device: self),
            snapshots: SimSnapshots(device: self, flight: SingleFlight(queue: beside, time: time)))
        let handlers = CommandHandlers(drivers, time: time, failures: self, injection: injection)
        return Session(handler: handlers, gate: gate, time: time, failures: self, markers: markers)
    }
}
