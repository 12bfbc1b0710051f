/// The keyboard on the screen. Called on the main thread alone.
public protocol KeyboardDriver: Sendable {
    /// The keyboard and what can be pressed on and right above it; nil while none is shown.
    func keyboard(in bundleId: String?) throws -> KeyboardState?
    /// Presses one of the controls.
    func press(_ control: FoundElement) throws
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
