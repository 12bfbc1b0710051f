/// The steps of a sequence.
public enum SequencePolicy {
    /// A host with more to do sends several sequences.
    public static let mostSteps = 20
    static let defaultPressMs = 800.0
    static let pauses = 0.0...10_000.0

    /// Every step is checked before the first one runs.
    ///
    /// - Throws: `INVALID_ARGS` with the field; nothing was sent.
    public static func check(_ steps: [Command.SequenceStep]) throws(RunnerError) {
        guard (1...mostSteps).contains(steps.count) else {
            throw RunnerError(.invalidArguments, "steps must have from 1 to \(mostSteps) entries")
        }
        for (at, step) in steps.enumerated() {
            guard step.point.isFinite else { throw RunnerError(.invalidArguments, "steps[\(at)].x and y must be finite") }
            guard step.pauseMs.isFinite, pauses.contains(step.pauseMs) else {
                throw RunnerError(.invalidArguments, "steps[\(at)].pauseMs must be from 0 to 10000")
            }
            guard step.durationMs?.isFinite ?? true else {
                throw RunnerError(.invalidArguments, "steps[\(at)].durationMs must be finite")
            }
        }
    }

    /// How long a long press rests, in seconds.
    public static func pressSeconds(_ step: Command.SequenceStep) -> Double {
        DragProfile.clamp(step.durationMs ?? defaultPressMs) / 1000
    }

    /// Seconds between this step and the next. A step that failed ends the sequence, and the last one has no next.
    public static func pauseSeconds(after at: Int, of steps: [Command.SequenceStep]) -> Double {
        at + 1 < steps.count ? steps[at].pauseMs / 1000 : 0
    }
}
