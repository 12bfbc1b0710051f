/// Text into fields: find the field, give it the focus, clear, type, look what it holds.
extension CommandHandlers {
    func run(_ typing: Command.TypeText) throws -> ReplyData {
        let isPenalised = memory.isPenalised(bundleId, at: time.uptime)
        let meant = try field(for: typing, isPenalised: isPenalised)
        var data = ReplyData(message: "typed")
        data.point = typing.selector == nil ? typing.point : meant?.attributes.knownFrame?.center

        if let point = typing.point, isPenalised, typing.mode == .replace, drivers.text.canSynthesize {
            try replaceBlindly(at: point, with: typing.text)
            data.textEntryRoute = TextRoute.synthesizedReplacement.rawValue
            return data
        }
        let witness = tappedField
        let focused = try focus(meant, at: data.point)
        let route = try TextRoute(.init(
            mode: typing.mode, hasPoint: typing.point != nil, hasTarget: focused != nil,
            isKeyboardVisible: try drivers.keyboard.keyboard(in: bundleId) != nil, hasWitness: witness != nil,
            isPenalised: false, canSynthesize: drivers.text.canSynthesize))
        data.textEntryRoute = route.rawValue
        switch route {
        case .synthesized: try synthesize(typing, into: witness)
        case .element, .application, .synthesizedReplacement:
            var entry = TextEntryRun(self, typing, into: focused)
            data.textEntryVerification = try entry.run()
            if entry.wasRepaired { data.message = "typed after repair" }
        }
        return data
    }

    // MARK: The field

    /// The field that is meant, if anything but the focus says so. Nothing is sent.
    private func field(for typing: Command.TypeText, isPenalised: Bool) throws -> FoundElement? {
        if let selector = typing.selector {
            let aim = try aim(
                at: selector, point: typing.point, allowsNonHittable: typing.allowsNonHittable, miss: .noMatch)
            guard let element = aim.element, element.attributes.type.takesText else {
                throw RunnerError(.invalidTarget, "what \(selector.key.rawValue) '\(selector.value)' names takes no text")
            }
            return element
        }
        return input(at: typing.point)
    }

    /// Gives the focus to what is meant, and finds what has it.
    private func focus(_ meant: FoundElement?, at point: Point?) throws -> FoundElement? {
        guard let point else { return try drivers.text.focusedInput(in: bundleId) }
        if let meant, meant.attributes.isFocused { return meant }
        if drivers.platform == .tvOS {
            _ = try selectFocused(Aim(touch: .point(point)), seconds: nil, message: "selected")
        } else {
            try drivers.gestures.tap(point, in: bundleId)
        }
        remember(tapped: meant?.attributes)
        let end = time.uptime + TextEntry.readyWait
        let withoutKeyboard = time.uptime + TextEntry.focusWait + TextEntry.hardwareKeyboardWait
        while true {
            if let focused = try drivers.text.focusedInput(in: bundleId) { return focused }
            // Some fields don't say that they have the focus; with a hardware keyboard no other sign comes.
            let hasKeyboard = try drivers.keyboard.keyboard(in: bundleId) != nil
            if time.uptime >= (hasKeyboard ? withoutKeyboard : end) { return meant }
            time.pause(TextEntry.poll)
        }
    }

    // MARK: Without keys

    /// While accessibility is slow: no look at anything. The caller has to look at what came of it.
    private func replaceBlindly(at point: Point, with text: String) throws {
        try drivers.gestures.tap(point, in: bundleId)
        time.pause(TextEntry.focusWait)
        try orUnavailable { try drivers.text.synthesizeSelectAll() }
        try orUnavailable { try drivers.text.synthesize(text.isEmpty ? "\u{8}" : text) }
    }

    private func synthesize(_ typing: Command.TypeText, into field: NodeAttributes?) throws {
        let place = field?.knownFrame?.center
        let look = { [self] in place.flatMap { (try? drivers.text.input(at: $0, in: bundleId)) ?? nil }?.attributes }
        let before = FieldValue(look())
        if typing.mode == .replace {
            try orUnavailable { try drivers.text.synthesizeSelectAll() }
            if typing.text.isEmpty { return try orUnavailable { try drivers.text.synthesize("\u{8}") } }
        }
        try orUnavailable { try drivers.text.synthesize(typing.text) }
        guard typing.mode != nil, case .text(let old) = before else { return }
        let wanted = typing.mode == .append ? old + typing.text : typing.text
        var watch = TextCommitWatch(wanted: wanted, isMultiline: field?.type == .textView, startedAt: time.uptime)
        while true {
            switch watch.look(FieldValue(look()), placeholder: field?.placeholder, at: time.uptime) {
            case .committed: return
            case .notObserved: throw TextCommitWatch.error
            case .wait: time.pause(TextCommitWatch.poll)
            }
        }
    }

    func orUnavailable(_ body: () throws -> Void) throws {
        do {
            try body()
        } catch let refused as SynthesisRefused {
            throw RunnerError(.textInputSynthesisUnavailable, "text can't be given without keys: \(refused.reason)")
        }
    }
}
