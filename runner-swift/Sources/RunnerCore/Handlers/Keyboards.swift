extension CommandHandlers {
    private static let goneWithin = 2.0
    private static let keyboardPoll = 0.05
    /// Between two screenshots that have to be equal before the page counts as still, in seconds.
    private static let stillPoll = 0.15
    private static let stillWithin = 2.0
    private static let afterReturn = 0.2

    /// Presses the keyboard's own control. Nothing else: a tap on the background or a stroke over the page acts on the app.
    func dismissKeyboard() throws -> ReplyData {
        var data = ReplyData()
        guard let keyboard = try drivers.keyboard.keyboard(in: bundleId) else {
            (data.wasVisible, data.dismissed, data.visible) = (false, false, false)
            return data
        }
        guard let control = KeyboardControls.dismissing(among: keyboard.controls) else {
            throw RunnerError(
                .unsupportedOperation, "the keyboard has no control that dismisses it",
                hint: "Scroll the page or press another control: only the app's author knows what that does.")
        }
        try drivers.keyboard.press(control)
        let end = time.uptime + Self.goneWithin
        var isVisible = true
        repeat {
            isVisible = try drivers.keyboard.keyboard(in: bundleId) != nil
            if isVisible { time.pause(Self.keyboardPoll) }
        } while isVisible && time.uptime < end
        if !isVisible { waitUntilStill() }
        (data.wasVisible, data.dismissed, data.visible) = (true, !isVisible, isVisible)
        data.keyboardDismissMechanism = "dismissKey"
        return data
    }

    /// The page moves while the keyboard goes: three equal pictures, or the time is up.
    private func waitUntilStill() {
        let end = time.uptime + Self.stillWithin
        var (last, equal) = ([UInt8](), 0)
        while equal < 2, time.uptime < end {
            guard let picture = try? drivers.screen.screenshot(fullscreen: false, of: bundleId) else { return }
            equal = picture == last ? equal + 1 : 0
            last = picture
            if equal < 2 { time.pause(Self.stillPoll) }
        }
    }

    /// The return key, by whatever name it goes here.
    func pressReturn() throws -> ReplyData {
        var data = ReplyData()
        let keyboard = try drivers.keyboard.keyboard(in: bundleId)
        if let key = keyboard.flatMap({ KeyboardControls.returning(among: $0.controls) }) {
            try drivers.keyboard.press(key)
        } else if let focused = try drivers.text.focusedInput(in: bundleId) {
            // A hardware keyboard hides the one on the screen.
            try drivers.text.type("\n", into: focused, in: bundleId)
        } else {
            throw RunnerError(.unsupportedOperation, "there is no return key and nothing has the focus")
        }
        time.pause(Self.afterReturn)
        data.wasVisible = keyboard != nil
        data.visible = try drivers.keyboard.keyboard(in: bundleId) != nil
        return data
    }
}

/// The keyboard's controls by what they are called.
enum KeyboardControls {
    private static let dismissLabels = ["hide keyboard", "dismiss keyboard", "done"]
    private static let returnLabels = ["return", "enter", "go", "search", "next", "done", "send", "join"]

    static func dismissing(among controls: [FoundElement]) -> FoundElement? { first(of: dismissLabels, among: controls) }
    static func returning(among controls: [FoundElement]) -> FoundElement? { first(of: returnLabels, among: controls) }

    private static func first(of labels: [String], among controls: [FoundElement]) -> FoundElement? {
        for wanted in labels {
            let found = controls.first { control in
                [control.attributes.label, control.attributes.identifier].contains { $0?.trimmed.lowercased() == wanted }
            }
            if let found { return found }
        }
        return nil
    }
}
