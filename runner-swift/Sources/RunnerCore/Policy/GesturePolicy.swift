/// The gestures that can be given to the system as an event record, past the framework's own.
public enum SynthesizedGesture: String, Sendable, CaseIterable {
    case coordinateTap
    case scroll
    case synthesizedDrag
    case sequenceTap

    public enum KeyboardProbe: String, Sendable {
        case never
        case whenAccessibilityHealthy
        case requiredWhenAvailable

        /// Whether the keyboard may be asked for. The question goes through accessibility, where a broken app makes it slow.
        public func isAllowed(_ health: AXHealth) -> Bool {
            switch self {
            case .never: false
            case .whenAccessibilityHealthy: health == .healthy
            case .requiredWhenAvailable: health != .unavailable
            }
        }
    }

    public enum Fallback: String, Sendable {
        /// The framework's coordinate gesture may do it.
        case xctestCoordinateAllowed
        /// Only where the app's accessibility answers: the framework waits for it before it acts.
        case xctestCoordinateWhenAccessibilityAvailable
        /// No other gesture scrolls as far as it says.
        case privateSynthesisRequired

        public func isAllowed(_ health: AXHealth) -> Bool {
            switch self {
            case .xctestCoordinateAllowed: true
            case .xctestCoordinateWhenAccessibilityAvailable: health != .unavailable
            case .privateSynthesisRequired: false
            }
        }
    }

    public var keyboardProbe: KeyboardProbe {
        switch self {
        case .coordinateTap: .never
        case .scroll, .synthesizedDrag, .sequenceTap: .requiredWhenAvailable
        }
    }

    public var fallback: Fallback {
        switch self {
        case .coordinateTap: .xctestCoordinateAllowed
        case .scroll: .privateSynthesisRequired
        case .synthesizedDrag, .sequenceTap: .xctestCoordinateWhenAccessibilityAvailable
        }
    }
}

/// Keeps strokes off the keyboard, where they would type.
public enum KeyboardClip {
    /// The drag, moved up so that it ends above the keyboard, if it would cross it and its start then still lies in the
    /// viewport; else as it was.
    public static func shift(from: Point, to: Point, keyboard: Rect?, viewport: Rect) -> (from: Point, to: Point) {
        guard let keyboard, keyboard.isUsable else { return (from, to) }
        let limit = keyboard.y - ScrollPlan.accessory
        let lowest = max(from.y, to.y)
        let columns = min(from.x, to.x) <= keyboard.maxX && max(from.x, to.x) >= keyboard.x
        let by = lowest - limit
        guard columns, by > 0, min(from.y, to.y) - by >= viewport.y else { return (from, to) }
        return (Point(from.x, from.y - by), Point(to.x, to.y - by))
    }
}
