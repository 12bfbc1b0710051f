extension CommandHandlers {
    private static let poll = 0.05

    /// Presses the keyboard's own control. Nothing else: a tap on the background or a stroke over the page acts on the app.
    func dismissKeyboard() throws -> ReplyData {
        if drivers.platform == .tvOS { try drivers.gestures.press(.menu, seconds: nil) }
        var data = ReplyData()
        guard let keyboard = try drivers.keyboard.keyboard(in: bundleId) else {
            (data.wasVisible, data.dismissed, data.visible) = (false, false, false)
            return data
        }
        let buttons = try drivers.elements.buttons(in: bundleId, ofNavigationBar: false)
        guard let control = KeyboardControl.dismiss(controls: keyboard.controls, appButtons: buttons, keyboard: keyboard.frame)
        else {
            throw RunnerError(
                .unsupportedOperation, "the keyboard has no control that dismisses it",
                hint: "Scroll the page or press another control: only the app's author knows what that does.")
        }
        try press(control)
        let isVisible = try !waitUntilKeyboardIsGone()
        if !isVisible { waitUntilStill() }
        (data.wasVisible, data.dismissed, data.visible) = (true, !isVisible, isVisible)
        data.keyboardDismissMechanism = "dismissKey"
        return data
    }

    /// Whether it has gone in time.
    private func waitUntilKeyboardIsGone() throws -> Bool {
        let end = time.uptime + KeyboardControl.dismissWait
        while try drivers.keyboard.keyboard(in: bundleId) != nil {
            if time.uptime >= end { return false }
            time.pause(Self.poll)
        }
        return true
    }

    /// The page moves while the keyboard goes.
    private func waitUntilStill() {
        let end = time.uptime + KeyboardControl.stillWait
        var (last, equal) = ([UInt8](), 1)
        while let picture = try? drivers.screen.screenshot(fullscreen: false, of: bundleId) {
            equal = picture == last ? equal + 1 : 1
            if equal >= KeyboardControl.stillPictures || time.uptime >= end { return }
            last = picture
            time.pause(KeyboardControl.stillPoll)
        }
    }

    /// The return key, by whatever name it goes here.
    func pressReturn() throws -> ReplyData {
        try refuseUnless(.iOS, .visionOS, .tvOS, name: "keyboardReturn")
        if drivers.platform == .tvOS { try drivers.gestures.press(.select, seconds: nil) }
        var data = ReplyData()
        let keyboard = try drivers.keyboard.keyboard(in: bundleId)
        if let key = keyboard.flatMap({ KeyboardControl.return(controls: $0.controls) }) {
            try press(key)
        } else if let focused = try drivers.text.focusedInput(in: bundleId) {
            // A hardware keyboard hides the one on the screen.
            try drivers.text.type("\n", into: focused, in: bundleId)
        } else if drivers.platform != .tvOS {
            throw RunnerError(.unsupportedOperation, "there is no return key and nothing has the focus")
        }
        time.pause(KeyboardControl.returnSettle)
        data.wasVisible = keyboard != nil
        data.visible = try drivers.keyboard.keyboard(in: bundleId) != nil
        return data
    }
}
