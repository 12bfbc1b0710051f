/// Watches a field for text that was posted by a private event. That the event was taken means posted, not committed: text of some
/// hundred characters arrives over seconds.
public struct TextCommitWatch: Sendable {
    /// No growth for so long means that nothing more comes. In seconds, like all times here.
    public static let stall = 3.0
    public static let ceiling = 10.0
    public static let poll = 0.2

    public enum Verdict: Equatable, Sendable {
        case committed
        case wait
        case notObserved
    }

    private let wanted: String
    private let isMultiline: Bool
    private let start: Double
    private var lastGrowth: Double
    private var seen: String?

    public init(wanted: String, isMultiline: Bool = false, startedAt now: Double) {
        self.wanted = wanted
        self.isMultiline = isMultiline
        start = now
        lastGrowth = now
    }

    /// - Parameter placeholder: the field's hint. Text that equals it can't be told from an empty field.
    public mutating func look(_ observed: FieldValue, placeholder: String? = nil, at now: Double) -> Verdict {
        let isTold = !FieldValue.isHint(wanted, placeholder: placeholder)
        if case .text(let text) = observed {
            switch TextVerification(wanted: wanted, observed: observed, isMultiline: isMultiline) {
            case .verified, .reformatted: if isTold { return .committed }
            case .unobserved, .mismatch: break
            }
            if wanted.hasPrefix(text), text.count > seen?.count ?? 0 {
                seen = text
                lastGrowth = now
            }
        }
        return now - lastGrowth >= Self.stall || now - start >= Self.ceiling ? .notObserved : .wait
    }

    public static let error = RunnerError(
        .textInputCommitNotObserved, "the text was posted and is not seen in the field",
        hint: "Look at the field. Don't append: what was posted may still come.")
}

/// The way in which text is put into a field. Raw values are on the wire.
public enum TextRoute: String, Sendable {
    case element = "xctest-element"
    case application = "xctest-application-fallback"
    /// The keyboard is hidden, and a tap of before has shown which field has the focus.
    case synthesized = "synthesized-first-responder"
    /// While accessibility is slow: tap the point, select everything by a key event, type.
    case synthesizedReplacement = "synthesized-first-responder-replacement"

    /// What is known when the way is chosen.
    public struct Situation: Sendable {
        public var mode: Command.TypeText.Mode?
        public var hasPoint: Bool
        /// A text input is known: found under the point, by the selector, or by its focus.
        public var hasTarget: Bool
        public var isKeyboardVisible: Bool
        /// The field that the last tap hit, in the same process.
        public var hasWitness: Bool
        public var isPenalised: Bool
        public var canSynthesize: Bool

        public init(
            mode: Command.TypeText.Mode? = nil, hasPoint: Bool = false, hasTarget: Bool = false, isKeyboardVisible: Bool = false,
            hasWitness: Bool = false, isPenalised: Bool = false, canSynthesize: Bool = true
        ) {
            self.mode = mode
            self.hasPoint = hasPoint
            self.hasTarget = hasTarget
            self.isKeyboardVisible = isKeyboardVisible
            self.hasWitness = hasWitness
            self.isPenalised = isPenalised
            self.canSynthesize = canSynthesize
        }
    }

    /// - Throws: `TEXT_INPUT_NOT_FOCUSED` or `TEXT_INPUT_SYNTHESIS_UNAVAILABLE`; nothing was sent.
    public init(_ situation: Situation) throws(RunnerError) {
        if situation.isPenalised && situation.mode == .replace && situation.hasPoint && situation.canSynthesize {
            self = .synthesizedReplacement
        } else if situation.hasTarget {
            self = .element
        } else if situation.isKeyboardVisible {
            self = .application
        } else if situation.hasWitness {
            guard situation.canSynthesize else {
                throw RunnerError(
                    .textInputSynthesisUnavailable, "the keyboard is hidden and text can't be given without it",
                    hint: "Name the field by a selector or a point.")
            }
            self = .synthesized
        } else {
            throw RunnerError(.textInputNotFocused, "no text input has the focus", hint: "Tap the field first, or name it.")
        }
    }
}

/// The field that a tap has hit. It answers for a later `type` of the same process while no keyboard can be seen; any other
/// command that acts makes it worthless.
public struct TapWitness: Equatable, Sendable {
    public var target: CaptureTarget
    public var field: NodeAttributes

    public init?(target: CaptureTarget, field: NodeAttributes?) {
        guard let field, field.type.takesText else { return nil }
        self.target = target
        self.field = field
    }

    public func holds(for target: CaptureTarget) -> Bool { self.target == target && target.pid != nil }
}
