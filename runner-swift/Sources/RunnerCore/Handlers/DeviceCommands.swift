extension CommandHandlers {
    /// How long the interface may take to turn, in seconds, and how often it is looked at.
    private static let turnWithin = 2.0
    private static let turnPoll = 0.05

    func rotate(to wanted: InterfaceOrientation) throws -> ReplyData {
        try refuseUnless(.iOS, name: "rotate")
        try drivers.screen.setOrientation(wanted)
        let end = time.uptime + Self.turnWithin
        var observed = try drivers.screen.orientation()
        while observed != wanted, time.uptime < end {
            time.pause(Self.turnPoll)
            observed = try drivers.screen.orientation()
        }
        guard observed == wanted else {
            throw RunnerError(
                .commandFailed, "rotate asked for \(wanted.name), the interface is \(observed.name)",
                hint: "The app may not support this orientation.")
        }
        var data = ReplyData()
        data.orientation = observed.name
        return data
    }

    func startRecording(to path: String, fps: Int?) throws -> ReplyData {
        try drivers.screen.startRecording(to: path, fps: fps, of: bundleId)
        return ReplyData(message: "recording started")
    }

    func terminate(_ bundleId: String) throws -> ReplyData {
        try drivers.target.terminate(bundleId)
        target.invalidate()
        return ReplyData(message: "app terminated")
    }
}
