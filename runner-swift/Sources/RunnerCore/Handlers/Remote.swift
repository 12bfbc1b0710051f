/// tvOS has a focus and a remote, and no points.
extension CommandHandlers {
    func swipe(_ direction: Command.Direction) throws -> ReplyData {
        try refuseUnless(.tvOS, name: "swipe")
        return try gesture("swiped", at: nil) { _ in
            try drivers.gestures.press(RemoteFocus.button(for: direction), seconds: nil)
        }
    }

    func press(_ button: Command.RemoteButton, durationMs: Double?) throws -> ReplyData {
        try refuseUnless(.tvOS, name: "remotePress")
        try drivers.gestures.press(button, seconds: durationMs.map { $0 / 1000 })
        return ReplyData(message: "remote pressed")
    }

    /// A tap is the select button, if what is meant has the focus.
    func selectFocused(_ aim: Aim, named point: Point? = nil, seconds: Double?, message: String) throws -> ReplyData {
        let focused = try drivers.elements.focused(in: bundleId)?.attributes
        let isMeant: Bool
        if let element = aim.element?.attributes {
            // A row shares its place with a button in it: a point that was named tells which is meant.
            isMeant = point.map { element.isFocused || RemoteFocus.hits($0, focused: focused) }
                ?? RemoteFocus.hits(element, focused: focused)
        } else {
            isMeant = aim.point.map { RemoteFocus.hits($0, focused: focused) } ?? false
        }
        guard isMeant else {
            let meant = aim.element?.attributes.knownFrame ?? aim.point.map { Rect($0.x - 0.5, $0.y - 0.5, 1, 1) }
            throw RemoteFocus.refusal(focused: focused?.knownFrame, target: meant)
        }
        return try gesture(message, at: nil) { _ in try drivers.gestures.press(.select, seconds: seconds) }
    }
}
