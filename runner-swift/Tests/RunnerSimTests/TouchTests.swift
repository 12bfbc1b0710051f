import Foundation
import XCTest

@testable import RunnerCore
@testable import RunnerSim

final class TouchTests: XCTestCase {
    private let stage = Stage()

    func testASelectorIsTappedInTheMiddleByCoordinates() {
        stage.show(.counter)
        let answer = stage.tap("counter")
        XCTAssertEqual([answer["message"], answer["x"], answer["y"]], ["tapped", "200", "104"])
        XCTAssertEqual(stage.events, ["counter tap"])
    }

    func testATapThatNavigatesIsASuccessAndTheNextCommandGoesOn() {
        stage.show(.home)
        XCTAssertNil(stage.tap("open-toggle").error)
        XCTAssertNil(stage.tap("wifi").error)
        XCTAssertEqual(stage.events, ["open-toggle tap", "open-toggle navigate toggle", "wifi toggle true"])
    }

    func testRefusalsSendNothing() {
        stage.show(.rows)
        XCTAssertEqual(stage.send("tap", ["selectorKey": "label", "selectorValue": "delete"]).code, "AMBIGUOUS_MATCH")
        XCTAssertEqual(stage.tap("nothing").code, "ELEMENT_NOT_FOUND")
        XCTAssertEqual(stage.events, [])
        stage.show(.drawer)
        XCTAssertEqual(stage.tap("settings").code, "ELEMENT_NOT_FOUND", "it lies beside the screen")
        XCTAssertEqual(stage.events, [])
    }

    func testAFailureThatIsInjectedAfterATapMakesItUncertainAndCountsDown() throws {
        let file = FileManager.default.temporaryDirectory.appendingPathComponent("inject-\(UUID().uuidString)").path
        try "2".write(toFile: file, atomically: true, encoding: .utf8)
        let stage = Stage(injection: FileFailureInjection(path: file))
        stage.show(.counter)
        XCTAssertEqual((0..<3).map { _ in stage.tap("counter").code }, ["XCTEST_RECORDED_FAILURE", "XCTEST_RECORDED_FAILURE", nil])
        XCTAssertEqual(stage.events, ["counter tap", "counter tap", "counter tap"], "each was done, once")
        XCTAssertFalse(FileManager.default.fileExists(atPath: file))
    }

    func testARefusedEventRecordFallsBackForATapAndNotForAScroll() {
        stage.show(.list)
        stage.device.arm(.refuseSynthesis, 1)
        let tap = stage.send("tap", ["x": 10, "y": 10, "synthesized": true])
        XCTAssertEqual(tap["gestureFallback"], "xctest-coordinate-tap")
        XCTAssertEqual(stage.send("scroll", ["direction": "down"]).code, "UNSUPPORTED_OPERATION")
        XCTAssertEqual(stage.events, ["row-1 tap"])
    }

    func testAScrollStaysAboveTheKeyboardAndTypesNothing() {
        stage.show(.longtext)
        _ = stage.tap("note")
        let answer = stage.send("scroll", ["direction": "down", "amount": 0.65])
        XCTAssertEqual(answer["keyboardAvoided"], "1")
        XCTAssertEqual(answer["keyboardMinY"], "500")
        XCTAssertLessThan(Double(answer["y"] ?? "") ?? .infinity, 488)
        XCTAssertEqual(stage.events, ["note tap"])
    }

    func testASequenceIsCheckedAsAWholeBeforeItsFirstStep() {
        stage.show(.counter)
        let step: [String: Any] = ["kind": "tap", "x": 200, "y": 104]
        XCTAssertEqual(stage.send("sequence", ["steps": [step, ["kind": "tap", "x": 1]]]).code, "INVALID_ARGS")
        XCTAssertEqual(stage.events, [])
        let answer = stage.send("sequence", ["steps": [step, ["kind": "doubleTap", "x": 100, "y": 260], ["kind": "longPress", "x": 300, "y": 260]]])
        XCTAssertEqual(answer["completedSteps"], "3")
        XCTAssertEqual(stage.events, ["counter tap", "double double-tap", "hold long-press"])
    }

    func testAGestureIsWhatWasPlanned() {
        stage.show(.gesture)
        let samples = [["offsetMs": 0, "point": ["x": 100, "y": 300]], ["offsetMs": 300, "point": ["x": 60, "y": 300]]] as [[String: Any]]
        var plan: [String: Any] = [
            "topology": "single", "intent": "pan", "executionProfile": "timed-pan", "durationMs": 300,
            "viewport": ["x": 0, "y": 0, "width": 400, "height": 800], "pointers": [["pointerId": 0, "samples": samples]],
        ]
        XCTAssertNil(stage.send("gesture", ["gesturePlan": plan]).error)
        plan["durationMs"] = 400
        XCTAssertEqual(stage.send("gesture", ["gesturePlan": plan]).code, "INVALID_ARGS")
        XCTAssertEqual(stage.events, ["pad stroke"])
    }

    func testWaysBackAreTheAppsOwnAndNothingElseIsTouched() {
        stage.show(.counter)
        XCTAssertEqual(stage.send("backInApp").code, "UNSUPPORTED_OPERATION")
        XCTAssertEqual(stage.events, [])
        stage.show(.home)
        _ = stage.tap("open-toggle")
        XCTAssertNil(stage.send("backInApp").error)
        _ = stage.tap("open-counter")
        XCTAssertNil(stage.send("backSystem").error)
        XCTAssertEqual(stage.events.filter { $0.contains("navigate") }, [
            "open-toggle navigate toggle", " navigate home", "open-counter navigate counter", " navigate home",
        ])
    }

    func testOnTVOnlyWhatHasTheFocusCanBePressed() {
        let stage = Stage(.tvOS)
        stage.show(.counter)
        XCTAssertEqual(stage.tap("dead").code, "TARGET_NOT_FOCUSED")
        XCTAssertNil(stage.tap("counter").error)
        stage.send("remotePress", ["remoteButton": "down"])
        XCTAssertNil(stage.tap("dead").error)
        XCTAssertEqual(stage.events, ["counter tap"])
        XCTAssertEqual(stage.send("scroll", ["direction": "down"]).code, "UNSUPPORTED_OPERATION")
    }

    func testOnAMacTheMouseClicksAndTheWheelScrolls() {
        let stage = Stage(.macOS)
        stage.show(.list)
        XCTAssertNil(stage.send("mouseClick", ["x": 10, "y": 10, "button": "primary"]).error)
        XCTAssertEqual(stage.send("mouseClick", ["x": 10, "y": 10, "button": "middle"]).code, "UNSUPPORTED_OPERATION")
        XCTAssertNil(stage.send("desktopScroll", ["direction": "down", "pixels": 160, "durationMs": 32]).error)
        XCTAssertEqual(stage.events, ["row-1 tap", "list scroll", "list scroll"])
    }

    func testOnTVAPointTellsARowFromTheButtonInItThatHasTheFocus() {
        let stage = Stage(.tvOS)
        stage.show(.childbutton)
        for _ in 0..<3 where stage.focused != "inner" { stage.send("remotePress", ["remoteButton": "down"]) }
        XCTAssertEqual(stage.focused, "inner")
        let aim: [String: Any] = ["selectorKey": "id", "selectorValue": "cell", "allowNonHittableCoordinateFallback": true]
        XCTAssertEqual(stage.send("tap", aim.merging(["x": 30, "y": 100]) { $1 }).code, "TARGET_NOT_FOCUSED")
        XCTAssertEqual(stage.events.filter { $0.hasSuffix("tap") }, [])
    }

    func testOnTVNothingIsTypedIntoAFieldThatTheFocusIsNotOn() {
        let stage = Stage(.tvOS)
        stage.show(.login)
        let answer = stage.send("type", ["text": "secret", "x": 200, "y": 164, "textEntryMode": "replace"])
        XCTAssertEqual(answer.code, "TARGET_NOT_FOCUSED")
        XCTAssertEqual(stage.events, [])
    }
}
