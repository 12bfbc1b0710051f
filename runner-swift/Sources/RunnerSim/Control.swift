import Foundation
import RunnerCore

/// The way to the fixture app beside the runner, for tests: on a listener of its own, so that nothing here depends on what is
/// tested.
///
/// | request | what it does |
/// | --- | --- |
/// | `GET /events` | `{"screen": NAME, "events": [{seq, screen, element, kind, detail}]}` since the last reset |
/// | `POST /reset?screen=NAME&KNOB=VALUE` | a fresh process of the app on this screen, with an empty log; faults stay |
/// | `POST /open?screen=NAME&KNOB=VALUE` | the app goes to this screen, as by a deep link |
/// | `POST /set?KNOB=VALUE` | turns knobs and starts the screen afresh |
/// | `GET /faults`, `POST /faults?NAME=NUMBER` | what is armed; arms |
/// | `POST /mend` | forgets all faults and ends what hangs |
struct Control {
    let device: SimDevice

    func answer(_ request: HTTPRequest) -> HTTPResponse {
        let query = Self.parse(request.query)
        do {
            switch (request.method, request.path) {
            case ("GET", "/events"): return HTTPResponse(json: events())
            case ("POST", "/reset"):
                let (screen, knobs) = try Self.screenAndKnobs(query)
                device.withApp { app, now in app.reset(screen, knobs: knobs, now: now) }
            case ("POST", "/open"):
                let (screen, knobs) = try Self.screenAndKnobs(query)
                device.withApp { app, now in
                    for (knob, value) in knobs { app.knobs[knob] = value }
                    app.open(screen, by: "", now: now)
                }
            case ("POST", "/set"):
                let knobs = try Self.knobs(query)
                device.withApp { app, now in app.set(knobs, now: now) }
            case ("GET", "/faults"): break
            case ("POST", "/faults"):
                for (name, value) in query {
                    guard let fault = Fault(rawValue: name), let number = Int(value), number >= 0 else {
                        throw RunnerError(.invalidArguments, "\(name)=\(value) is no fault")
                    }
                    device.arm(fault, number)
                }
            case ("POST", "/mend"): device.clearFaults()
            default: throw RunnerError(.invalidArguments, "\(request.method) \(request.path) means nothing here")
            }
        } catch {
            let error = error as? RunnerError ?? RunnerError(.commandFailed, "\(error)")
            return HTTPResponse(status: 400, refusing: error)
        }
        let faults = device.faults.map { JSON.Member($0.0.rawValue, .integer($0.1)) }
        return HTTPResponse(json: .object([.init("faults", .object(faults))]))
    }

    private func events() -> JSON {
        device.withApp { app, _ in
            .object([.init("screen", .string(app.screenName)), .init("events", .array(app.log.events.map(\.json)))])
        }
    }

    private static func screenAndKnobs(_ query: [(String, String)]) throws -> (Screen, [Knob: Int]) {
        guard let name = query.first(where: { $0.0 == "screen" })?.1, let screen = Screen(rawValue: name) else {
            throw RunnerError(.invalidArguments, "screen is missing or none of the app's")
        }
        return (screen, try knobs(query.filter { $0.0 != "screen" }))
    }

    private static func knobs(_ query: [(String, String)]) throws -> [Knob: Int] {
        var knobs: [Knob: Int] = [:]
        for (name, value) in query {
            guard let knob = Knob(rawValue: name), let number = knob.parse(value) else {
                throw RunnerError(.invalidArguments, "\(name)=\(value) is no knob of the app")
            }
            knobs[knob] = number
        }
        return knobs
    }

    static func parse(_ query: String) -> [(String, String)] {
        query.split(separator: "&").map { pair in
            let parts = pair.split(separator: "=", maxSplits: 1, omittingEmptySubsequences: false).map(String.init)
            let decoded = parts.map { $0.removingPercentEncoding ?? $0 }
            return (decoded[0], decoded.count > 1 ? decoded[1] : "")
        }
    }
}
