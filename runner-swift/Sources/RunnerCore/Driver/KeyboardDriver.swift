/// The keyboard on the screen. Called on the main thread alone.
public protocol KeyboardDriver: Sendable {
    /// Nil while none is shown.
    func keyboard(in bundleId: String?) throws -> KeyboardState?
}

/// A keyboard on the screen.
public struct KeyboardState {
    public var frame: Rect
    /// Its buttons and keys, and those of its toolbar.
    public var controls: [FoundElement]

    public init(frame: Rect, controls: [FoundElement]) {
        self.frame = frame
        self.controls = controls
    }
}
