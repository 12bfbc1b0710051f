/// tvOS has a focus and no coordinates: only what has the focus can be pressed.
public enum RemoteFocus {
    /// Whether a press of the remote's select means the point.
    public static func hits(_ point: Point, focused: NodeAttributes?) -> Bool {
        guard let frame = focused?.knownFrame, frame.isUsable else { return false }
        return frame.contains(point)
    }

    /// Whether a press of the remote's select means the element: it has the focus, or shares a place with what has it.
    public static func hits(_ target: NodeAttributes, focused: NodeAttributes?) -> Bool {
        if target.isFocused { return true }
        guard let own = target.knownFrame, own.isUsable, let frame = focused?.knownFrame, frame.isUsable else { return false }
        return frame.contains(own.center) || own.contains(frame.center)
    }

    /// The arrow that brings the focus nearer: along the axis on which it is farther away.
    public static func arrow(from focused: Rect?, to target: Rect?) -> Command.RemoteButton? {
        guard let focused, focused.isUsable, let target, target.isUsable, !target.contains(focused.center) else { return nil }
        let (dx, dy) = (target.center.x - focused.center.x, target.center.y - focused.center.y)
        return abs(dx) > abs(dy) ? (dx > 0 ? .right : .left) : (dy > 0 ? .down : .up)
    }

    public static func refusal(focused: Rect?, target: Rect?) -> RunnerError {
        let arrow = arrow(from: focused, to: target).map { ": press \($0.rawValue)" } ?? ""
        return RunnerError(
            .targetNotFocused, "the target does not have the focus",
            hint: "tvOS has no touches. Move the focus with the remote's arrows\(arrow).")
    }

    /// What commands of touch screens are on a remote: arrows for strokes.
    public static func button(for direction: Command.Direction) -> Command.RemoteButton {
        switch direction {
        case .up: .up
        case .down: .down
        case .left: .left
        case .right: .right
        }
    }

    /// The gap between the two presses of home that open the app switcher, in seconds, from the setting in ms.
    public static func doublePressGap(_ setting: String?) -> Double {
        guard let ms = setting.flatMap({ Double($0.trimmed) }), ms.isFinite else { return 0 }
        return min(1_000, max(0, ms)) / 1_000
    }
}
