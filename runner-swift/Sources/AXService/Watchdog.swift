import Dispatch
import Foundation

/// Ends the process when a request is not over by its deadline.
///
/// A question to an app's accessibility server can't be called off once it is asked. An app that never answers would hold this
/// process for ever, and with it every later request; the host starts a new one in a fraction of a second.
public final class Watchdog {
    public static let exitCode: Int32 = 75

    private let work: DispatchWorkItem

    public init(milliseconds: Int, end: @escaping @Sendable () -> Void = { _exit(Watchdog.exitCode) }) {
        work = DispatchWorkItem(block: end)
        DispatchQueue.global(qos: .userInteractive).asyncAfter(deadline: .now() + .milliseconds(milliseconds), execute: work)
    }

    public func stop() {
        work.cancel()
    }
}
