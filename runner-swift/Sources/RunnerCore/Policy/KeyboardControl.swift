/// The keys and buttons that put a keyboard away or send its input.
public enum KeyboardControl {
    static let dismissLabels = ["hide keyboard", "dismiss keyboard", "done"]
    static let returnLabels = ["return", "enter", "go", "search", "next", "done", "send", "join"]
    /// How far above a keyboard its toolbar reaches.
    static let toolbar = 80.0

    /// How long the keyboard is waited for to go, in seconds, and then the picture to stand still.
    public static let dismissWait = 2.0
    public static let stillWait = 2.0
    public static let stillPoll = 0.15
    public static let stillPictures = 3
    public static let returnSettle = 0.2

    /// The control that dismisses the keyboard; `nil` when it has none. Then nothing else is tried: a tap beside it or a swipe of
    /// the page would do something to the app.
    ///
    /// - Parameters:
    ///   - controls: buttons and keys of the keyboard and its toolbars.
    ///   - appButtons: buttons of the app: those that overlap the keyboard or stand right above it may be its toolbar's.
    public static func dismiss(
        controls: [FoundElement], appButtons: [FoundElement], keyboard: Rect
    ) -> FoundElement? {
        let reach = Rect(keyboard.x, keyboard.y - toolbar, keyboard.width, keyboard.height + toolbar)
        let near = appButtons.filter { element in
            element.attributes.knownFrame.map { $0.isUsable && $0.intersects(reach) } ?? false
        }
        return first(of: dismissLabels, among: controls + near)
    }

    /// The key that sends the input.
    public static func `return`(controls: [FoundElement]) -> FoundElement? {
        first(of: returnLabels, among: controls)
    }

    private static func first(of labels: [String], among elements: [FoundElement]) -> FoundElement? {
        for label in labels {
            let found = elements.first { element in
                element.attributes.isEnabled
                    && [element.attributes.label, element.attributes.identifier].contains {
                        SelectorMatch.normalize($0 ?? "") == label
                    }
            }
            if let found { return found }
        }
        return nil
    }
}
