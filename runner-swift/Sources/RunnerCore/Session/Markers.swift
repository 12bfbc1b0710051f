import Foundation

/// Lines of the test's output that the host reads. They wake somebody who waits, and help who debugs; they prove nothing.
public struct Markers: Sendable {
    private let sink: @Sendable (String) -> Void

    /// `sink` gets whole lines.
    public init(sink: @escaping @Sendable (String) -> Void) {
        self.sink = sink
    }

    /// To standard error, unbuffered.
    public static let standardError = Markers { line in
        FileHandle.standardError.write(Data((line + "\n").utf8))
    }

    public func write(_ name: String, _ detail: String? = nil) {
        sink("AGENT_DEVICE_RUNNER_" + name + (detail.map { "=" + $0 } ?? ""))
    }
}
