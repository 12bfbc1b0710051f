/// Calls that can hang and can't be stopped, one at a time. While one that was given up still hangs, no other is started: it
/// would wait behind it in the service, and so would all after it.
public final class SingleFlight: Sendable {
    public enum Outcome<Value> {
        case done(Value)
        /// This call has not come back in time, or an earlier one has not come back yet.
        case blocked
    }

    private let queue: any WorkQueue
    private let time: any TimeSource
    private let isUnderWay = Locked(false)

    public init(queue: any WorkQueue, time: any TimeSource) {
        self.queue = queue
        self.time = time
    }

    /// Runs a call beside the caller's thread and waits for it, so many seconds at most.
    public func run<Value: Sendable>(seconds: Double, _ call: @escaping @Sendable () -> Value) -> Outcome<Value> {
        let isFree = isUnderWay.withLock { isUnderWay in
            defer { isUnderWay = true }
            return !isUnderWay
        }
        guard isFree else { return .blocked }
        let result = Locked(Value?.none)
        let latch = Latch()
        queue.submit { [isUnderWay] in
            let value = call()
            result.withLock { $0 = value }
            // Before the caller wakes: its next call must find the way free.
            isUnderWay.withLock { $0 = false }
            latch.open()
        }
        _ = time.wait(for: latch, until: time.uptime + seconds)
        return result.withLock { $0 }.map(Outcome.done) ?? .blocked
    }
}
