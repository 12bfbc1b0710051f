import Foundation
import RunnerCore

/// What a test asks of the app beside the runner, the same in every Swift body.
///
/// | request | what it does |
/// | --- | --- |
/// | `GET /events` | `{"screen": NAME, "events": [{seq, screen, element, kind, detail}]}` since the last reset |
/// | `POST /reset?screen=NAME&KNOB=VALUE` | a fresh process of the app on this screen, with an empty log |
/// | `POST /open?screen=NAME&KNOB=VALUE` | the app goes to this screen, as by a deep link |
/// | `POST /set?KNOB=VALUE` | turns knobs and starts the screen afresh |
extension App {
    /// - Returns: `nil` where the request is none of these.
    /// - Throws: `INVALID_ARGS` with the name of what is wrong; then nothing was changed.
    mutating func answer(_ request: HTTPRequest, now: Double) throws -> JSON? {
        let query = Self.parse(request.query)
        switch (request.method, request.path) {
        case ("GET", "/events"):
            return .object([.init("screen", .string(screenName)), .init("events", .array(log.events.map(\.json)))])
        case ("POST", "/reset"):
            let (screen, knobs) = try Self.screenAndKnobs(query)
            reset(screen, knobs: knobs, now: now)
        case ("POST", "/open"):
            let (screen, knobs) = try Self.screenAndKnobs(query)
            for (knob, value) in knobs { self.knobs[knob] = value }
            open(screen, by: "", now: now)
        case ("POST", "/set"): set(try Self.knobs(query), now: now)
        default: return nil
        }
        return .object([])
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

extension HTTPResponse {
    /// A request that could not be answered, and why.
    init(refusing error: any Error) {
        self.init(status: 400, refusing: error as? RunnerError ?? RunnerError(.commandFailed, "\(error)"))
    }

    static func unknown(_ request: HTTPRequest) -> HTTPResponse {
        HTTPResponse(refusing: RunnerError(.invalidArguments, "\(request.method) \(request.path) means nothing here"))
    }
}
