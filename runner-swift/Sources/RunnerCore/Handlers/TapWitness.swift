/// The text input that the latest tap went to. With the keyboard hidden nothing else says where typed text will go.
struct TapWitness: @unchecked Sendable {
    /// Used on the main thread alone.
    let element: FoundElement
    private let bundleId: String?
    private let processId: Int32?

    init(_ element: FoundElement, target: TargetKeeper.Target) {
        self.element = element
        (bundleId, processId) = (target.bundleId, target.processId)
    }

    /// Whether it is still the same process of the same app.
    func holds(for target: TargetKeeper.Target) -> Bool { bundleId == target.bundleId && processId == target.processId }
}

extension CommandHandlers {
    /// The text input at a point. Best effort, and not while looking is slow.
    func input(at point: Point?) throws -> FoundElement? {
        guard let point, !memory.isPenalised(bundleId, at: time.uptime) else { return nil }
        return try? drivers.text.input(at: point, in: bundleId)
    }

    /// The witness of the latest tap, while it holds.
    var tappedInput: FoundElement? {
        witness.withLock { $0 }.flatMap { $0.holds(for: target.target) ? $0.element : nil }
    }
}
