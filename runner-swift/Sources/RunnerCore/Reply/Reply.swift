/// The answer to one command: `{ok, data?, error?}`.
public struct Reply: Equatable, Sendable {
    public enum Outcome: Equatable, Sendable {
        case success(ReplyData)
        case failure(RunnerError)
    }

    public var outcome: Outcome
    /// The HTTP status: 200 for every structured answer, 500 for what was thrown.
    public var status: Int

    public static func success(_ data: ReplyData = ReplyData()) -> Reply {
        Reply(outcome: .success(data), status: 200)
    }

    public static func failure(_ error: RunnerError, status: Int = 200) -> Reply {
        Reply(outcome: .failure(error), status: status)
    }

    public var isSuccess: Bool {
        if case .success = outcome { return true }
        return false
    }

    public var data: ReplyData? {
        if case .success(let data) = outcome { return data }
        return nil
    }

    public var error: RunnerError? {
        if case .failure(let error) = outcome { return error }
        return nil
    }

    /// What is retained: without stamps, which are true only of the moment of sending.
    public func json() -> JSON {
        switch outcome {
        case .success(let data): .object([.init("ok", true), .init("data", data.json())])
        case .failure(let error): .object([.init("ok", false), .init("error", error.json)])
        }
    }

    /// What is sent. Failures are never stamped.
    public func json(stampedWith stamps: Stamps) -> JSON {
        guard case .success(var data) = outcome else { return json() }
        data.currentUptimeMs = stamps.uptimeMs
        data.runnerMainThreadBusy = stamps.mainThreadBusy
        return .object([.init("ok", true), .init("data", data.json())])
    }
}

/// Facts of the moment in which a reply is sent.
public struct Stamps: Equatable, Sendable {
    /// System uptime, in ms.
    public var uptimeMs: Double
    /// Whether abandoned work still occupies the main thread.
    public var mainThreadBusy: Bool

    public init(uptimeMs: Double, mainThreadBusy: Bool) {
        self.uptimeMs = uptimeMs
        self.mainThreadBusy = mainThreadBusy
    }
}
