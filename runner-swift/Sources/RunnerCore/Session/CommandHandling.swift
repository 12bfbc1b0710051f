/// What runs commands. The session decides when a command may run and what its reply is worth.
public protocol CommandHandling: Sendable {
    /// Brings the app forward, or finds the system's surface in its place. On the main thread, before the command.
    ///
    /// - Returns: the uptime before which the command must not begin, in seconds: an app that has just come forward takes no
    ///   touch yet.
    func prepareTarget(for request: Request, _ command: Command) throws -> Double

    /// Runs a command on the main thread (`Place.main`) or the command queue (`Place.queue`).
    func run(_ command: Command, _ request: Request, _ context: CommandContext) throws -> ReplyData

    /// Forgets the app's handle after something that makes it suspect.
    func invalidateTarget()
}

/// What a running command may use of the session.
public struct CommandContext: Sendable {
    public let gate: MainThreadGate
    public let time: any TimeSource
    public let markers: Markers
    /// The uptime at which the command started, in seconds.
    public let started: Double
}
