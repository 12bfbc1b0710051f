extension CommandHandlers {
    func run(_ tap: Command.Tap, _ context: CommandContext) throws -> ReplyData {
        let bundleId = target.target.bundleId
        var point = tap.point
        if let selector = tap.selector {
            let found = try drivers.elements.candidates(for: selector, in: bundleId)
            guard let element = found.first else { throw RunnerError(.elementNotFound, "no element matches") }
            if found.count > 1 { throw RunnerError(.ambiguousMatch, "\(found.count) elements match") }
            point = element.attributes.knownFrame?.center
        }
        guard let point else { throw RunnerError(.elementNotFound, "no element matches") }
        var data = ReplyData(message: "tapped")
        let start = time.uptime
        try drivers.gestures.tap(point, in: bundleId)
        var evidence = GestureEvidence(startUptimeMs: start * 1000, endUptimeMs: time.uptime * 1000)
        (evidence.from, evidence.reference) = (point, try? drivers.gestures.referenceSize())
        data.gesture = evidence
        return data
    }
}
