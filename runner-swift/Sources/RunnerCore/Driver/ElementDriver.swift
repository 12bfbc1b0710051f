/// An element as a query found it.
public struct FoundElement {
    public var attributes: NodeAttributes
    /// Whether the framework says that a touch reaches it.
    public var isHittable: Bool
    /// What the platform knows it by. Means something to the driver that made it, on the main thread, until the screen changes.
    public var handle: Any

    public init(_ attributes: NodeAttributes, isHittable: Bool, handle: Any) {
        self.attributes = attributes
        self.isHittable = isHittable
        self.handle = handle
    }
}

/// Looks elements up. Called on the main thread alone.
public protocol ElementDriver: Sendable {
    /// The elements of the app for which the selector may hold; more than that is allowed, fewer is not.
    func candidates(for selector: Command.ElementSelector, in bundleId: String?) throws -> [FoundElement]
    /// The elements whose label, identifier or value contains the text, whatever its case.
    func elements(containing text: String, in bundleId: String?) throws -> [FoundElement]
    /// The elements whose frame contains the point.
    func elements(at point: Point, in bundleId: String?) throws -> [FoundElement]
    /// The buttons of the navigation bar, or all others, in the order of the screen.
    func buttons(in bundleId: String?, ofNavigationBar: Bool) throws -> [FoundElement]
    /// What the focus of a remote or a keyboard is on.
    func focused(in bundleId: String?) throws -> FoundElement?
    /// The window's frame, in points; nil where none is reported.
    func windowFrame(of bundleId: String?) throws -> Rect?
    /// Activates an element by the framework's own means, which looks at it before and after.
    func activate(_ element: FoundElement) throws
}
