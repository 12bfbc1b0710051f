import Foundation
import XCTest

@testable import RunnerCore

final class ReplyTests: XCTestCase {
    func testTextsSurviveTheWire() throws {
        let odd = "quote \" back \\ lines \r\n\t nul \u{0} unit \u{1f} del \u{7f} separators \u{2028}\u{2029} 👩‍👩‍👧 \u{202e}"
        let bytes = JSON.object([.init(odd, .string(odd))]).encoded()
        let read = try JSONDecoder().decode([String: String].self, from: Data(bytes))
        XCTAssertEqual(read, [odd: odd])
    }

    func testANumberThatJSONCantHoldIsLeftOutAndBreaksNothing() {
        let json = JSON.object([
            .init("a", .number(.infinity)), .init("b", .number(.nan)), .init("c", .number(-0.5)), .init("d", .number(1e300)),
            .init("e", .array([.number(.nan), .number(2)])), .init("f", .number(9_007_199_254_740_993)),
        ])
        XCTAssertEqual(json.text, #"{"c":-0.5,"d":1e+300,"e":[null,2],"f":9007199254740992.0}"#)
    }

    func testAReplyWithAnInfiniteGestureIsStillAReply() {
        var data = ReplyData(message: "tapped")
        var evidence = GestureEvidence(startUptimeMs: 1, endUptimeMs: .infinity)
        evidence.from = Point(.nan, 2)
        data.gesture = evidence
        XCTAssertEqual(
            Reply.success(data).json().text, #"{"ok":true,"data":{"message":"tapped","gestureStartUptimeMs":1,"y":2}}"#)
    }

    func testRunnerFatalComesWithItsReason() {
        var data = ReplyData()
        data.runnerFatalReason = "ax_snapshot_unavailable"
        XCTAssertEqual(
            Reply.success(data).json().text,
            #"{"ok":true,"data":{"runnerFatal":true,"runnerFatalReason":"ax_snapshot_unavailable"}}"#)
    }

    func testASequenceSaysWhichStepFailed() {
        let steps = [
            SequenceResult.Step(kind: "tap", startUptimeMs: 1, endUptimeMs: 2),
            SequenceResult.Step(
                kind: "longPress", error: RunnerError(.unsupportedOperation, "no"), startUptimeMs: 3, endUptimeMs: 4),
        ]
        var data = ReplyData()
        data.sequence = SequenceResult(steps: steps)
        XCTAssertEqual(
            data.json().text,
            #"{"completedSteps":1,"failedStepIndex":1,"sequenceResults":["#
                + #"{"ok":true,"kind":"tap","gestureStartUptimeMs":1,"gestureEndUptimeMs":2},"#
                + #"{"ok":false,"kind":"longPress","errorCode":"UNSUPPORTED_OPERATION","errorMessage":"no","#
                + #""gestureStartUptimeMs":3,"gestureEndUptimeMs":4}]}"#)
    }
}
