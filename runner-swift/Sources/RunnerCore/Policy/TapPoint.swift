/// Where an element is touched.
public enum TapPoint: Equatable, Sendable {
    /// A point of the interface space.
    case point(Point)
    /// By the framework's own means: the element has no place.
    case element

    /// An element with a frame is touched in its middle, by coordinates. The framework's own tap looks for the element again
    /// afterwards, and when the tap has navigated away it records a failure that ends the runner.
    ///
    /// - Throws: `ELEMENT_OFFSCREEN` when the middle lies outside the window. Nothing was sent.
    public init(of attributes: NodeAttributes, window: Rect?) throws(RunnerError) {
        guard let frame = attributes.knownFrame, frame.isUsable else {
            self = .element
            return
        }
        guard Self.isOnScreen(frame.center, window: window) else {
            throw RunnerError(
                .elementOffscreen, "the middle of the element lies outside the window",
                hint: "Scroll it into view and send the command again.")
        }
        self = .point(frame.center)
    }

    /// Edges belong to the window. A window that isn't known refuses nothing.
    public static func isOnScreen(_ point: Point, window: Rect?) -> Bool {
        guard let window, window.isUsable else { return true }
        return window.contains(point)
    }
}

/// What text a point of the screen holds.
public enum TextAtPoint {
    /// The text of the input at the point, or else of the smallest element there: inputs give their value, others their label.
    public static func text(_ point: Point, among elements: [NodeAttributes]) -> String? {
        let there = elements.filter { $0.knownFrame.map { $0.isUsable && $0.contains(point) } ?? false }
        let inputs = there.filter(\.type.takesText)
        let smallest = (inputs.isEmpty ? there : inputs).min { ($0.knownFrame?.area ?? 0) < ($1.knownFrame?.area ?? 0) }
        guard let smallest else { return nil }
        let texts = smallest.type.takesText ? [smallest.value, smallest.label] : [smallest.label, smallest.value]
        return texts.lazy.compactMap { $0 }.first { !$0.isBlank }
    }
}
