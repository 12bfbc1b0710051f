/// Touches. Called on the main thread alone, and only with finite points. A call that returns has given everything to the system;
/// one that throws may have given a part of it.
public protocol GestureDriver: Sendable {
    /// The size of the space that points are in, from the screen itself: accessibility may be broken or slow.
    func referenceSize() throws -> Size

    /// - Parameter synthesized: whether the private event record is asked for; the fallback says that it was refused.
    func tap(_ point: Point, in bundleId: String?, synthesized: Bool) throws -> GestureFallback?
}
