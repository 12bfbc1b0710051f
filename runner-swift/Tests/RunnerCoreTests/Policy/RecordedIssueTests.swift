import XCTest

@testable import RunnerCore

final class RecordedIssueTests: XCTestCase {
    /// The exact rule: a rejection of the accessibility service inside a query is swallowed, everything else is recorded.
    func testAKAXErrorInAMatchingSnapshotIsSwallowedAndAllElseIsRecorded() {
        let table: [(String, Bool)] = [
            ("Failed to get matching snapshot: kAXErrorIllegalArgument", true),
            ("Failed to get matching snapshots: Error kAXErrorCannotComplete", true),
            ("Failed to resolve query: kAXErrorServerNotFound performing AXAction", true),
            ("Assertion failure: Failed to get matching snapshot: Error -25201 kAXErrorIllegalArgument", true),
            ("Failed to get matching snapshot: Timed out while evaluating UI query.", false),
            ("Failed to resolve query: Timed out while evaluating UI query.", false),
            ("Failed to get matching snapshot: No matches found for Elements matching predicate", false),
            ("No matches found for first query match sequence", false),
            ("kAXErrorIllegalArgument", false),
            ("Failed to tap \"Pay\" Button: kAXErrorCannotComplete", false),
            ("failed to get matching snapshot: kaxerrorillegalargument", false),
            ("XCTAssertTrue failed", false), ("", false),
        ]
        for (text, isSuppressed) in table { XCTAssertEqual(RecordedIssue.isSuppressed(text), isSuppressed, text) }
    }

    func testAnElementThatIsGoneAfterItsTapWasTapped() {
        for text in ["No matches found for Button", "Failed to get matching snapshot: gone"] {
            XCTAssertTrue(RecordedIssue.meansPerformedTap(text))
        }
        for text in ["Element is not hittable", "kAXErrorServerNotFound", ""] {
            XCTAssertFalse(RecordedIssue.meansPerformedTap(text))
        }
    }
}
