/// Runs commands on a platform: one file for each area of commands, this one says which is which.
public final class CommandHandlers: CommandHandling {
    let drivers: Drivers
    let memory = CaptureMemory()
    let target: TargetKeeper
    let time: any TimeSource

    public init(_ drivers: Drivers, time: any TimeSource) {
        self.drivers = drivers
        self.time = time
        target = TargetKeeper(drivers.target, time: time)
    }

    public func prepareTarget(for request: Request, _ command: Command) throws -> Double {
        try target.prepare(request.appBundleId, for: command, command.traits(of: request.name))
    }

    public func invalidateTarget() { target.invalidate() }

    public func run(_ command: Command, _ request: Request, _ context: CommandContext) throws -> ReplyData {
        switch command {
        case .tap(let tap): return try run(tap, context)
        case .snapshot(let snapshot): return try run(snapshot, context)
        case .plain(.targetReset):
            target.reset()
            memory.reset()
            return ReplyData(message: "target reset")
        default:
            throw RunnerError(.unsupportedOperation, "\(request.name.rawValue) is not supported here")
        }
    }
}
