import Foundation

/// Makes a tap that was really done end as one that may not have been: the one outcome that can't be provoked on a healthy
/// device, and that hosts have to handle.
public protocol FailureInjection: Sendable {
    /// Whether the tap that was just done is to be doubted. Counts down.
    func takeOne() -> Bool
}

/// A file that holds the number of taps to be doubted. Not an environment variable: hosts write the environment anew for each
/// start.
public struct FileFailureInjection: FailureInjection {
    public static let path = "/tmp/agent-device-inject-tap-recorded-failure-for-testing"
    private let path: String

    public init(path: String = Self.path) { self.path = path }

    public func takeOne() -> Bool {
        guard let text = try? String(contentsOfFile: path, encoding: .utf8), let count = Int(text.trimmed), count > 0 else {
            return false
        }
        if count == 1 {
            try? FileManager.default.removeItem(atPath: path)
        } else {
            try? String(count - 1).write(toFile: path, atomically: true, encoding: .utf8)
        }
        return true
    }
}

extension CommandHandlers {
    /// After a tap that was done, and before its failures are counted.
    func injectFailure() {
        if let injection, injection.takeOne() { failures.record("injected after the tap") }
    }
}
