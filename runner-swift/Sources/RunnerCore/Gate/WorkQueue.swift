import Foundation

/// Where work is done one piece after the other.
public protocol WorkQueue: Sendable {
    /// Queues the work and returns.
    func submit(_ work: @escaping @Sendable () -> Void)
}

/// The main queue of the process. XCTest answers there alone.
public struct MainQueue: WorkQueue {
    public init() {}

    public func submit(_ work: @escaping @Sendable () -> Void) {
        DispatchQueue.main.async(execute: work)
    }
}

/// A queue beside the main one.
public struct BackgroundQueue: WorkQueue {
    private let queue: DispatchQueue

    public init(_ name: String) {
        queue = DispatchQueue(label: name)
    }

    public func submit(_ work: @escaping @Sendable () -> Void) {
        queue.async(execute: work)
    }
}
