extension CommandHandlers {
    /// The text input at a point. Best effort, and not while looking is slow.
    func input(at point: Point?) -> FoundElement? {
        guard let point, !memory.isPenalised(bundleId, at: time.uptime) else { return nil }
        return (try? drivers.text.input(at: point, in: bundleId)) ?? nil
    }

    /// Keeps what a tap has hit, for typing while no keyboard says where text goes.
    func remember(tapped field: NodeAttributes?) {
        witness.withLock { $0 = TapWitness(target: target.target.capture, field: field) }
    }

    /// The field of the latest tap, while the same process is there.
    var tappedField: NodeAttributes? {
        witness.withLock { $0 }.flatMap { $0.holds(for: target.target.capture) ? $0.field : nil }
    }
}
