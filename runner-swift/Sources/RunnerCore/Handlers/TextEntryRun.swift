/// One text going into one field by keys.
struct TextEntryRun {
    private let handlers: CommandHandlers
    private let typing: Command.TypeText
    private let field: FoundElement?
    private(set) var wasRepaired = false

    init(_ handlers: CommandHandlers, _ typing: Command.TypeText, into field: FoundElement?) {
        self.handlers = handlers
        self.typing = typing
        self.field = field
    }

    private var time: any TimeSource { handlers.time }
    private var isMultiline: Bool { field?.attributes.type == .textView }

    /// - Returns: what is known about the field's content, in a word for the wire; nil where nothing was to be verified.
    mutating func run() throws -> String? {
        guard let mode = typing.mode else {
            try type(typing.text)
            return nil
        }
        let before = FieldValue(attributes())
        let wanted: String
        switch mode {
        case .replace:
            if typing.text.isEmpty, field == nil {
                throw RunnerError(.textInputNotFocused, "there is no field that could be cleared")
            }
            try clear()
            wanted = typing.text
        case .append:
            if case .text(let old) = before { wanted = old + typing.text } else { wanted = typing.text }
        }
        try type(typing.text)
        var observed = settledValue()
        // What was in a field that can't be read is not known, so what is wanted isn't either.
        if case .unreadable = before, mode == .append { return "unobserved" }
        if let verified = word(for: observed, wanted: wanted) { return verified }
        // Neither this nor a second try could be told from an empty field.
        if observed == .text(""), !wanted.isEmpty, FieldValue.isHint(wanted, placeholder: attributes()?.placeholder) {
            throw TextCommitWatch.error
        }
        if case .text(let text) = observed, TextRepair.isAllowed(mode: mode, wanted: wanted, observed: text) {
            wasRepaired = true
            try clear()
            try type(wanted)
            observed = settledValue()
            if let verified = word(for: observed, wanted: wanted) { return verified }
        }
        throw RunnerError(
            .textEntryMismatch, "the field does not hold what was typed", hint: "Read the field before you type again.")
    }

    private func word(for observed: FieldValue, wanted: String) -> String? {
        switch TextVerification(wanted: wanted, observed: observed, isMultiline: isMultiline) {
        case .verified: "verified"
        case .reformatted: "reformatted"
        case .unobserved: "unobserved"
        case .mismatch: nil
        }
    }

    // MARK: Keys

    private func press(_ keys: String) throws { try handlers.drivers.text.type(keys, into: field, in: handlers.bundleId) }

    private func type(_ text: String) throws {
        guard !text.isEmpty else { return }
        let parts = TextEntry.parts(text, hasDelay: typing.delayMs > 0)
        let before = FieldValue(attributes())
        for (at, part) in parts.enumerated() {
            try press(part)
            if at + 1 == parts.count { break }
            if typing.delayMs > 0 {
                time.pause(typing.delayMs / 1000)
            } else {
                waitUntilChanged(from: before)
            }
        }
    }

    /// The keyboard is up when its first character shows.
    private func waitUntilChanged(from before: FieldValue) {
        guard case .text = before else { return time.pause(TextEntry.stability) }
        let end = time.uptime + TextEntry.warmUp
        while FieldValue(attributes()) == before, time.uptime < end { time.pause(TextEntry.poll) }
    }

    // MARK: Clearing

    private func clear() throws {
        guard field != nil else { return }
        var before = shown
        if TextClear.deletes(for: before) > 0, let frame = attributes()?.knownFrame, frame.isUsable {
            try handlers.drivers.gestures.tap(TextClear.caret(in: frame), in: handlers.bundleId)
        }
        while TextClear.deletes(for: before) > 0 {
            if TextClear.isLong(before), handlers.drivers.text.canSynthesize,
                (try? handlers.drivers.text.synthesizeSelectAll()) != nil
            {
                try press("\u{8}")
            } else {
                try press(String(repeating: "\u{8}", count: TextClear.deletes(for: before)))
            }
            let after = shown
            guard TextClear.shouldGoOn(before: before, after: after) else { return }
            before = after
        }
    }

    /// What the field shows, its hint included: text that equals the hint looks the same as the hint, and has to go as well. Keys
    /// in an empty field do nothing.
    private var shown: FieldValue { attributes()?.value.map { .text($0) } ?? .unreadable }

    // MARK: Looking

    private func attributes() -> NodeAttributes? {
        field.flatMap { (try? handlers.drivers.text.attributes(of: $0)) ?? nil }
    }

    /// The value after it has not changed for a while.
    private func settledValue() -> FieldValue {
        var value = FieldValue(attributes())
        let end = time.uptime + TextEntry.readyWait
        var stableUntil = time.uptime + TextEntry.stability
        while time.uptime < min(stableUntil, end) {
            time.pause(TextEntry.poll)
            let now = FieldValue(attributes())
            if now != value { (value, stableUntil) = (now, time.uptime + TextEntry.stability) }
        }
        return value
    }
}
