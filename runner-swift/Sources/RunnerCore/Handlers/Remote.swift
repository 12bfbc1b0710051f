/// tvOS has a focus and a remote, and no points.
extension CommandHandlers {
    func swipe(_ direction: Command.Direction) throws -> ReplyData {
        try refuseUnless(.tvOS, name: "swipe")
        return try gesture("swiped", at: nil) { _ in try drivers.gestures.press(direction.button, seconds: nil) }
    }

    func press(_ button: Command.RemoteButton, durationMs: Double?) throws -> ReplyData {
        try refuseUnless(.tvOS, name: "remotePress")
        try drivers.gestures.press(button, seconds: durationMs.map { $0 / 1000 })
        return ReplyData(message: "remote pressed")
    }

    /// A tap is the select button, if what is meant has the focus.
    func selectFocused(_ aim: Aim, seconds: Double?, message: String) throws -> ReplyData {
        guard let focused = try drivers.elements.focused(in: bundleId), isMeant(focused.attributes, by: aim) else {
            throw RunnerError(
                .unsupportedOperation, "what is meant does not have the focus",
                hint: "Move the focus with remotePress until it is there.")
        }
        return try gesture(message, at: nil) { _ in try drivers.gestures.press(.select, seconds: seconds) }
    }

    private func isMeant(_ focused: NodeAttributes, by aim: Aim) -> Bool {
        if aim.element?.attributes.isFocused == true { return true }
        guard let frame = focused.knownFrame else { return false }
        if let meant = aim.element?.attributes.knownFrame {
            return frame.contains(meant.center) || meant.contains(frame.center)
        }
        return aim.point.map(frame.contains) ?? false
    }
}

extension Command.Direction {
    var button: Command.RemoteButton {
        switch self {
        case .up: .up
        case .down: .down
        case .left: .left
        case .right: .right
        }
    }
}
