import XCTest

@testable import RunnerCore

final class JournalTests: XCTestCase {
    private let journal = Journal()
    private let replies = Locked([Reply]())

    private func accept(_ id: String, _ command: CommandName = .tap) -> String {
        let replies = self.replies
        switch journal.accept(id, command, waiter: { reply in replies.withLock { $0.append(reply) } }) {
        case .run: return "run"
        case .attached: return "attached"
        case .finished(let reply): return reply.isSuccess ? "finished" : reply.error?.code.rawValue ?? "?"
        }
    }

    func testACommandGoesFromAcceptedOverStartedToCompleted() {
        XCTAssertEqual(journal.status(of: "a"), Lifecycle(state: .notAccepted))
        XCTAssertEqual(accept("a"), "run")
        XCTAssertEqual(journal.status(of: "a"), Lifecycle(state: .accepted, command: "tap"))
        journal.start("a")
        XCTAssertEqual(journal.status(of: "a").state, .started)
        journal.finish("a", .success(ReplyData(message: "tapped")))
        XCTAssertEqual(journal.status(of: "a"), Lifecycle(
            state: .completed, command: "tap", responseOk: true, responseJson: #"{"ok":true,"data":{"message":"tapped"}}"#))
    }

    func testAFailureKeepsItsCodeMessageAndHint() {
        _ = accept("a")
        let error = RunnerError(.runnerBusy, "busy", hint: "wait")
        journal.finish("a", .failure(error))
        let status = journal.status(of: "a")
        XCTAssertEqual(status.state, .failed)
        XCTAssertEqual(status.responseOk, false)
        XCTAssertEqual(status.error, error)
    }

    func testADuplicateInFlightIsAttachedAndBothGetTheOneReply() {
        XCTAssertEqual(accept("a"), "run")
        journal.start("a")
        XCTAssertEqual(accept("a"), "attached")
        journal.finish("a", .success(ReplyData(message: "tapped")))
        XCTAssertEqual(replies.withLock { $0 }, Array(repeating: .success(ReplyData(message: "tapped")), count: 2))
    }

    func testAFinishedIdIsAnsweredFromItsRetainedReplyAndNeverRunAgain() {
        _ = accept("a")
        journal.finish("a", .success(ReplyData(message: "tapped")))
        XCTAssertEqual(accept("a"), "finished")
        XCTAssertEqual(replies.withLock { $0.count }, 1, "nobody is told twice")
    }

    func testAFinishedIdWhoseReplyIsNotRetainedIsRefusedByACodeThatClaimsNothing() {
        for (id, command, reply) in [
            ("screen", CommandName.snapshot, ReplyData(message: "small")), ("shot", .screenshot, ReplyData(message: "small")),
            ("long", .readText, ReplyData(message: String(repeating: "x", count: Journal.longestReply))),
        ] {
            _ = accept(id, command)
            journal.finish(id, .success(reply))
            XCTAssertEqual(accept(id, command), "COMMAND_ALREADY_COMPLETED")
            XCTAssertNil(journal.status(of: id).responseJson)
            XCTAssertEqual(journal.status(of: id).state, .completed)
        }
    }

    func testTheOldestUpdateIsForgottenFirstAndWhatIsUnderWayNever() {
        _ = accept("running")
        journal.start("running")
        for n in 0..<Journal.capacity + 10 {
            _ = accept("\(n)")
            journal.finish("\(n)", .success())
        }
        XCTAssertEqual(journal.status(of: "0").state, .notAccepted)
        XCTAssertEqual(journal.status(of: "73").state, .completed)
        XCTAssertEqual(journal.status(of: "running").state, .started)
        XCTAssertEqual(accept("running"), "attached")
    }
}
