/// Whether an app runs, by the words of the wire.
public enum AppState: String, Sendable, CaseIterable {
    case unknown
    case notRunning
    case runningBackgroundSuspended
    case runningBackground
    case runningForeground
}

/// Apps as the test framework sees them. Called on the main thread alone.
///
/// `nil` for a bundle id is the runner's own app, where the framework has it.
public protocol TargetDriver: Sendable {
    func state(of bundleId: String?) -> AppState
    /// Nil when no process is known.
    func processId(of bundleId: String?) -> Int32?
    /// Brings the app forward, and starts it if it isn't running.
    func activate(_ bundleId: String?) throws
    func terminate(_ bundleId: String) throws
    /// A process of the system that shows something over the app and is driven in its place.
    func surfaceInFront() -> SystemSurface?
    /// The process that shows prompts of the system over apps; nil where none does.
    var promptProcess: Int32? { get }
    /// Throws handles away that may have gone stale.
    func forgetHandles()
}
