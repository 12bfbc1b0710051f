import Foundation
import XCTest

@testable import RunnerCore
@testable import RunnerSim

/// A time that passes while somebody waits, and only then.
final class FastTime: TimeSource {
    private let now = Locked(1000.0)
    var uptime: Double { now.withLock { $0 } }

    func wait(for latch: Latch, until deadline: Double) -> Bool {
        if latch.isOpen { return true }
        now.withLock { $0 = max($0, deadline) }
        return false
    }
}

/// A queue that is always free.
struct FreeQueue: WorkQueue {
    func submit(_ work: @escaping @Sendable () -> Void) { work() }
}

/// The runner over the fixture app: requests in, replies out, and what happened to the app.
final class Stage {
    let time = FastTime()
    let device: SimDevice
    private let session: Session

    init(_ platform: Platform = .iOS, injection: (any FailureInjection)? = nil) {
        let silent = Markers { _ in }
        device = SimDevice(platform, time: time)
        session = device.session(
            gate: MainThreadGate(executor: FreeQueue(), time: time, markers: silent), beside: FreeQueue(), markers: silent,
            injection: injection)
    }

    /// A fresh app on a screen, which the runner has looked at once: a first capture is a warm-up.
    func show(_ screen: Screen, _ knobs: [Knob: Int] = [:]) {
        device.withApp { app, now in app.reset(screen, knobs: knobs, now: now) }
        send("snapshot")
    }

    @discardableResult
    func send(_ command: String, _ fields: [String: Any] = [:]) -> Answer {
        var body: [String: Any] = ["command": command, "appBundleId": App.bundleId]
        body.merge(fields) { $1 }
        let bytes = [UInt8](try! JSONSerialization.data(withJSONObject: body))
        let request = HTTPRequest(method: "POST", path: "/command", query: "", hasOrigin: false, body: bytes)
        let response = session.answer(request)
        let json = try! JSONSerialization.jsonObject(with: Data(response.body)) as! [String: Any]
        return Answer(status: response.status, data: json["data"] as? [String: Any], error: json["error"] as? [String: Any])
    }

    /// What the remote is on.
    var focused: String? { send("snapshot").nodes.first { $0["focused"] as? Bool == true }?["identifier"] as? String }

    func tap(_ id: String) -> Answer { send("tap", ["selectorKey": "id", "selectorValue": id]) }

    /// `element kind` of each event, details where they are texts or numbers.
    var events: [String] {
        device.withApp { app, _ in
            app.log.events.map { event in
                switch event.detail {
                case .string(let text): "\(event.element) \(event.kind.rawValue) \(text)"
                case .bool(let value): "\(event.element) \(event.kind.rawValue) \(value)"
                default: "\(event.element) \(event.kind.rawValue)"
                }
            }
        }
    }
}

struct Answer {
    var status: Int
    var data: [String: Any]?
    var error: [String: Any]?

    var code: String? { error?["code"] as? String }
    var nodes: [[String: Any]] { data?["nodes"] as? [[String: Any]] ?? [] }
    var ids: [String] { nodes.compactMap { $0["identifier"] as? String } }
    var quality: [String: Any] { data?["snapshotQuality"] as? [String: Any] ?? [:] }

    subscript(name: String) -> String? { data?[name].map { "\($0)" } }
}
