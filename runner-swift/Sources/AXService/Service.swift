import Dispatch

/// Answers requests from a source of trees.
public struct Service<Source: TreeSource> {
    private let source: Source

    public init(_ source: Source) {
        self.source = source
    }

    /// The reply to one message. Whatever is in the message, there is one.
    public func reply(to message: [UInt8]) -> [UInt8] {
        let request: DescribeRequest
        do throws(DescribeRequest.Refusal) {
            request = try DescribeRequest.decode(message)
        } catch {
            return Reply.failure(error.failure, to: error.identity)
        }
        let watchdog = Watchdog(milliseconds: request.maxMilliseconds)
        defer { watchdog.stop() }
        // The last tenth is for the way back: a failure that the watchdog swallows explains nothing.
        let start = DispatchTime.now().uptimeNanoseconds
        let elapsed = { Double(DispatchTime.now().uptimeNanoseconds - start) / 1e9 }
        let budget = Double(request.maxMilliseconds) * 0.0009
        do throws(Failure) {
            var capture = Capture(source, request) { budget - elapsed() }
            var output = try capture.run()
            output.recovery.elapsedMilliseconds = Int(elapsed() * 1000)
            return try Reply.tree((output.tree, output.recovery), to: request)
        } catch {
            return Reply.failure(error, to: request.identity)
        }
    }
}
