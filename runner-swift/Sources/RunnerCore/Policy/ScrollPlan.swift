/// Where a scroll's finger goes.
public struct ScrollPlan: Equatable, Sendable {
    public let from: Point
    public let to: Point
    /// The surface that the plan was made for: the viewport, cut above the keyboard.
    public let surface: Rect
    /// How far the content should move, in points.
    public let distance: Double
    public let keyboardAvoided: Bool
    /// The top of the keyboard, if one is there.
    public let keyboardMinY: Double?

    /// Part of the axis that stays free at each side. Strokes that begin at the edge belong to the system: 5 % once pulled the
    /// notification centre down.
    static let padding = 0.10
    /// The bar above the keys reaches so far above the keyboard's frame.
    static let accessory = 12.0
    /// With less of the viewport left above the keyboard there is nothing to scroll in.
    static let leastVisible = 0.15
    /// How much of the viewport a scroll goes that doesn't say: by a finger, and by a wheel.
    public static let strokeAmount = 0.65
    public static let wheelAmount = 0.6
    public static let defaultDurationMs = 400.0

    /// - Parameters:
    ///   - direction: what comes into view: `down` shows what lies below.
    ///   - keyboard: its frame, if one is shown. One beside the finger's column is left alone.
    /// - Throws: `INVALID_ARGS` or `SCROLL_KEYBOARD_OCCLUDES_SURFACE`; nothing was sent.
    public init(
        _ direction: Command.Direction, _ wanted: Command.Scroll.Distance, in viewport: Rect, keyboard: Rect? = nil
    ) throws(RunnerError) {
        guard viewport.isUsable else { throw RunnerError(.invalidArguments, "the viewport has no usable frame") }
        let cut = try Self.above(keyboard, viewport)
        surface = cut ?? viewport
        keyboardAvoided = cut != nil
        keyboardMinY = keyboard?.y
        let isVertical = direction == .up || direction == .down
        let axis = isVertical ? surface.height : surface.width
        let asked = switch wanted {
        case .amount(let part): try Self.positive(part, "amount") * axis
        case .pixels(let pixels): try Self.positive(pixels, "pixels")
        }
        let travel = max(1, min(asked, axis * (1 - 2 * Self.padding))).rounded()
        distance = travel
        // The finger goes against the direction in which content is to be seen.
        let sign = direction == .down || direction == .right ? 1.0 : -1.0
        let middle = surface.center
        let half = sign * travel / 2
        let step = { (by: Double) in
            (isVertical ? Point(middle.x, middle.y + by) : Point(middle.x + by, middle.y)).rounded
        }
        from = step(half)
        to = step(-half)
    }

    private static func positive(_ value: Double, _ field: String) throws(RunnerError) -> Double {
        guard value.isFinite, value > 0 else { throw RunnerError(.invalidArguments, "\(field) must be above 0") }
        return value
    }

    /// The part above the keyboard; `nil` when there is none in the way.
    private static func above(_ keyboard: Rect?, _ viewport: Rect) throws(RunnerError) -> Rect? {
        guard let keyboard, keyboard.isUsable, keyboard.intersects(viewport), keyboard.x <= viewport.center.x,
            keyboard.maxX >= viewport.center.x
        else { return nil }
        let visible = keyboard.y - accessory - viewport.y
        guard visible >= viewport.height * leastVisible else {
            throw RunnerError(
                .scrollKeyboardOccludesSurface, "the keyboard covers what should scroll",
                hint: "Dismiss the keyboard and send the command again.")
        }
        guard visible < viewport.height else { return nil }
        return Rect(viewport.x, viewport.y, viewport.width, visible)
    }

    /// The reply says by what frame the points have to be read.
    public var reference: Size { surface.size }
}

extension Point {
    var rounded: Point { Point(x.rounded(), y.rounded()) }
}
