/// Ways back that an app shows, best first.
public enum BackControl {
    /// Labels that lead back, in the order of preference.
    static let labels = ["back", "close", "cancel"]
    /// The Mac's browsers and file windows.
    static let macIdentifier = "go back"
    static let macLabel = "Back"

    /// How long after the tap of the corner the screen is compared, in seconds.
    public static let settle = 0.25

    /// The top part of the window, where such controls stand.
    public static func band(of window: Rect) -> Rect {
        Rect(window.x, window.y, window.width, min(180, max(96, window.height * 0.22)))
    }

    /// The element to press: a hittable button of the navigation bar, else one in the top band that is called back, close or
    /// cancel. `nil` when the app shows none.
    ///
    /// - Parameters:
    ///   - bar: the buttons of the navigation bar, in the order of the screen.
    ///   - others: other elements of the app.
    public static func choose(bar: [FoundElement], others: [FoundElement], window: Rect) -> FoundElement? {
        if let button = bar.first(where: { $0.isHittable && $0.attributes.isEnabled }) { return button }
        let band = band(of: window)
        let near = others.filter { element in
            element.isHittable && element.attributes.isEnabled
                && (element.attributes.knownFrame.map { band.contains($0.center) } ?? false)
        }
        for label in labels {
            if let element = near.first(where: { SelectorMatch.normalize($0.attributes.label ?? "") == label }) { return element }
        }
        return nil
    }

    /// The same on a Mac.
    public static func isMacControl(_ attributes: NodeAttributes) -> Bool {
        attributes.identifier == macIdentifier || attributes.label == macLabel
    }

    /// Where such a control would stand without being in the tree. A tap there has only led back if the screen changed.
    public static func corner(of window: Rect) -> Point {
        Point(
            window.x + min(44, max(28, window.width * 0.08)), window.y + min(132, max(56, window.height * 0.155)))
    }

    /// The system's own stroke: from the leading edge to the right. In points, and seconds of pressing before.
    public static func systemStroke(in window: Rect) -> (from: Point, to: Point, press: Double) {
        let y = window.center.y
        return (Point(window.x + window.width * 0.05, y), Point(window.x + window.width * 0.8, y), 0.05)
    }

    /// The stroke that opens the app switcher.
    public static func switcherStroke(in window: Rect) -> (from: Point, to: Point, press: Double) {
        let x = window.center.x
        return (Point(x, window.y + window.height * 0.99), Point(x, window.y + window.height * 0.7), 0.6)
    }
}
