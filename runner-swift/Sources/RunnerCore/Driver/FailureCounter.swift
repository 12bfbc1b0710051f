/// The failures that the test framework has recorded. It records one when an element that was tapped has vanished by the time
/// it looks again, so a rise tells neither that the tap was done nor that it was not.
public protocol FailureCounter: Sendable {
    var failures: Int { get }
    /// Has the framework record one more.
    func record(_ issue: String)
}
