extension CommandHandlers {
    func rotate(to wanted: InterfaceOrientation) throws -> ReplyData {
        guard OrientationWatch.isSupported(on: drivers.platform) else {
            throw RunnerError(.unsupportedOperation, "rotate is not supported on \(drivers.platform.rawValue)")
        }
        try drivers.screen.setOrientation(wanted)
        let start = time.uptime
        var observed = try drivers.screen.orientation()
        while try OrientationWatch(wanted: wanted, observed: observed, elapsed: time.uptime - start) == .wait {
            time.pause(OrientationWatch.poll)
            observed = try drivers.screen.orientation()
        }
        var data = ReplyData()
        data.orientation = observed.name
        return data
    }

    func startRecording(to path: String, fps: Int?) throws -> ReplyData {
        try drivers.screen.startRecording(to: path, fps: fps, of: bundleId)
        return ReplyData(message: "recording started")
    }

    func stopRecording() throws -> ReplyData {
        ReplyData(message: try drivers.screen.stopRecording() ? "recording stopped" : "recording already stopped")
    }

    func terminate(_ bundleId: String) throws -> ReplyData {
        try drivers.target.terminate(bundleId)
        target.invalidate()
        return ReplyData(message: "app terminated")
    }

    func state(of bundleId: String?) -> ReplyData {
        var data = ReplyData()
        data.applicationState = drivers.target.state(of: bundleId).rawValue
        return data
    }

    func resetTarget() -> ReplyData {
        target.reset()
        memory.reset()
        health.withLock { $0 = .unknown }
        return ReplyData(message: "target reset")
    }
}
