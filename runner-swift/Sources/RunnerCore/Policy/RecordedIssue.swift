/// What becomes of an issue that XCTest wants to record.
public enum RecordedIssue {
    /// Whether the issue is swallowed.
    ///
    /// On screens whose accessibility tree can't be serialised each query records one, and after a few of them XCTest ends the
    /// test case when the running command returns: the runner would die after every capture. Captures report such a rejection
    /// themselves, so these say nothing new. The token of the accessibility service must be there: a query that timed out
    /// really hangs, and it, like any other issue, is recorded.
    public static func isSuppressed(_ text: String) -> Bool {
        text.contains("kAXError")
            && (text.contains("Failed to get matching snapshot") || text.contains("Failed to resolve query"))
    }

    /// Whether an exception of the framework's own tap means that the tap was done: the element was looked for again after it
    /// and is gone, as after any tap that navigates.
    public static func meansPerformedTap(_ message: String) -> Bool {
        message.contains("No matches found") || message.contains("Failed to get matching snapshot")
    }
}
