import Foundation

/// Where time comes from, and the only thing that waits. Tests put a time of their own here and wait for nothing.
public protocol TimeSource: Sendable {
    /// Seconds since the system started. The same clock that stamps gestures and replies.
    var uptime: Double { get }

    /// Waits until the latch is open; false when the deadline (an uptime in seconds) came first.
    func wait(for latch: Latch, until deadline: Double) -> Bool
}

extension TimeSource {
    /// Waits for some seconds.
    public func pause(_ seconds: Double) {
        _ = wait(for: Latch(), until: uptime + seconds)
    }
}

/// The time of the system.
public struct SystemTime: TimeSource {
    public init() {}

    public var uptime: Double { ProcessInfo.processInfo.systemUptime }

    /// The main thread goes on serving its run loop in short slices: XCTest's own work, and the screen it waits for, need it.
    private static let slice = 0.02

    public func wait(for latch: Latch, until deadline: Double) -> Bool {
        guard Thread.isMainThread else { return latch.wait(seconds: deadline - uptime) }
        while !latch.isOpen, uptime < deadline {
            let end = Date(timeIntervalSinceNow: min(Self.slice, deadline - uptime))
            // A loop that has nothing to serve returns at once.
            if !RunLoop.current.run(mode: .default, before: end) { Thread.sleep(until: end) }
        }
        return latch.isOpen
    }
}

/// Opens once and stays open.
public final class Latch: @unchecked Sendable {
    private let condition = NSCondition()
    private var isOpenNow = false

    public init() {}

    public var isOpen: Bool {
        condition.lock()
        defer { condition.unlock() }
        return isOpenNow
    }

    public func open() {
        condition.lock()
        isOpenNow = true
        condition.broadcast()
        condition.unlock()
    }

    /// Waits for it in real time.
    public func wait(seconds: Double) -> Bool {
        condition.lock()
        defer { condition.unlock() }
        // Longer than any wait, and still a date.
        let end = Date(timeIntervalSinceNow: min(seconds, 1e9))
        while !isOpenNow {
            if !condition.wait(until: end) { return isOpenNow }
        }
        return true
    }
}
