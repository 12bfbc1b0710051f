/// How long each part of a capture may take, in seconds. Measured on apps with heavy, animated screens, where one call of the
/// recursive snapshot takes from 4 s to minutes.
public enum CaptureBudget {
    /// The whole plan, from the start of the command: below the 30 s after which the main thread counts as hung.
    public static let plan = 20.0
    /// One call of the recursive snapshot.
    public static let treeSlice = 8.0
    /// What a tree call gets even at the end of the plan: less can't succeed.
    public static let shortestSlice = 0.5
    /// A tree call while the channel is penalised and nothing else can read the screen.
    public static let penalisedSlice = 1.0
    /// Reading attributes of the captured tree, which also goes through the app.
    public static let processing = 8.0
    public static let viewport = 1.0
    public static let shortestViewport = 0.1
    /// The query sweep of the compact view: each query costs a full tree.
    public static let interactiveSweep = 1.0
    public static let modalProbe = 4.0
    /// An acquisition through XCTest's channel that takes longer penalises it. A doomed read was measured at 4.5 s.
    public static let slow = 3.0
    public static let penalty = 120.0

    static func treeSlice(remaining: Double) -> Double { min(treeSlice, max(shortestSlice, remaining)) }
}

/// A moment of the system's uptime after which a capture must not start anything.
public struct Deadline: Sendable, Equatable {
    /// Seconds of system uptime.
    public let uptime: Double

    public init(uptime: Double) {
        self.uptime = uptime
    }

    public func remaining(at now: Double) -> Double { max(0, uptime - now) }
    public func hasPassed(at now: Double) -> Bool { now >= uptime }
}
