/// The rules of a gesture plan. The whole plan is checked before the first pointer goes down: half a gesture is another one.
public enum GesturePlan {
    public enum Topology: String, Sendable {
        case single
        case two
    }

    static let intents: [Topology: Set<String>] = [
        .single: ["fling", "pan"], .two: ["pan", "pinch", "rotate", "transform"],
    ]
    /// How a single pointer moves. Two pointers move by their samples.
    public enum Profile: String, Sendable, CaseIterable {
        /// It reaches its end quickly and rests there.
        case endpointHold = "endpoint-hold"
        case timedPan = "timed-pan"
    }

    public static let durations = 16.0...10_000.0

    /// - Throws: `INVALID_ARGS` with the field, or `UNSUPPORTED_OPERATION` for two pointers where they can't be sent. Nothing was
    ///   sent.
    public static func check(_ plan: Command.GestureRequest, platform: Platform = .iOS) throws(RunnerError) {
        guard let topology = Topology(rawValue: plan.topology) else { throw refusal("topology", "must be single or two") }
        guard intents[topology]?.contains(plan.intent) ?? false else {
            throw refusal("intent", "is not one of a gesture of topology \(topology.rawValue)")
        }
        switch (topology, plan.executionProfile) {
        case (.single, let profile?) where Profile(rawValue: profile) != nil: break
        case (.single, _): throw refusal("executionProfile", "must be endpoint-hold or timed-pan")
        case (.two, nil): break
        case (.two, _): throw refusal("executionProfile", "is for one pointer")
        }
        guard plan.durationMs.isFinite, durations.contains(plan.durationMs) else {
            throw refusal("durationMs", "must be from 16 to 10000")
        }
        guard plan.viewport.isUsable else { throw refusal("viewport", "has no usable frame") }
        guard plan.pointers.count == (topology == .single ? 1 : 2) else {
            throw refusal("pointers", "must be \(topology == .single ? 1 : 2) for topology \(topology.rawValue)")
        }
        for (at, pointer) in plan.pointers.enumerated() { try check(pointer, at: at, of: plan) }
        if topology == .two { try checkPair(plan.pointers) }
        guard topology == .single || platform == .iOS else {
            throw RunnerError(.unsupportedOperation, "gestures of two pointers are for iOS")
        }
    }

    private static func check(
        _ pointer: Command.GestureRequest.Pointer, at: Int, of plan: Command.GestureRequest
    ) throws(RunnerError) {
        let path = "pointers[\(at)]"
        guard pointer.id == at else { throw refusal("\(path).pointerId", "must be \(at)") }
        guard pointer.samples.count >= 2 else { throw refusal("\(path).samples", "must be at least 2") }
        var last = -1.0
        for (index, sample) in pointer.samples.enumerated() {
            let place = "\(path).samples[\(index)]"
            guard sample.offsetMs.isFinite, sample.offsetMs > last, index > 0 || sample.offsetMs == 0 else {
                throw refusal("\(place).offsetMs", index == 0 ? "must be 0" : "must be later than the one before")
            }
            last = sample.offsetMs
            guard sample.point.isFinite else { throw refusal("\(place).point", "must be finite") }
            guard plan.viewport.contains(sample.point) else { throw refusal("\(place).point", "lies outside the viewport") }
        }
        guard last == plan.durationMs else { throw refusal("\(path).samples", "must end at durationMs") }
    }

    private static func checkPair(_ pointers: [Command.GestureRequest.Pointer]) throws(RunnerError) {
        guard pointers[0].samples.map(\.offsetMs) == pointers[1].samples.map(\.offsetMs) else {
            throw refusal("pointers[1].samples", "must have the offsets of pointers[0]")
        }
        guard pointers[0].samples[0].point != pointers[1].samples[0].point else {
            throw refusal("pointers[1].samples[0].point", "must not be that of pointers[0]")
        }
    }

    private static func refusal(_ field: String, _ problem: String) -> RunnerError {
        RunnerError(.invalidArguments, "gesturePlan.\(field) \(problem)")
    }
}
