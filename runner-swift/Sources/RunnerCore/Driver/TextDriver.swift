/// Keys. Called on the main thread alone.
public protocol TextDriver: Sendable {
    /// The text input that has the focus; nil where none says so.
    func focusedInput(in bundleId: String?) throws -> FoundElement?
    /// The text input at a point: the smallest one.
    func input(at point: Point, in bundleId: String?) throws -> FoundElement?
    /// What the element holds now; nil when it is gone.
    func attributes(of element: FoundElement) throws -> NodeAttributes?

    /// Presses keys by the framework: into the element, or into whatever has the focus. `\u{8}` is the delete key.
    func type(_ text: String, into element: FoundElement?, in bundleId: String?) throws

    /// Whether text can be given by private events.
    var canSynthesize: Bool { get }

    /// Gives text to the first responder by a private event, without keys and without a keyboard on the screen. That it returns
    /// means posted, not arrived.
    ///
    /// - Throws: `SynthesisRefused` when nothing was given.
    func synthesize(_ text: String) throws
    /// Command-A by a private key event.
    ///
    /// - Throws: `SynthesisRefused` when nothing was given.
    func synthesizeSelectAll() throws
}
