import XCTest

@testable import RunnerCore
@testable import RunnerSim

final class CaptureTests: XCTestCase {
    private let stage = Stage()

    func testBarsAfterALongListAreInEveryRegularCapture() {
        stage.show(.list)
        let answer = stage.send("snapshot", ["interactiveOnly": true])
        XCTAssertEqual(answer.ids.suffix(2), ["tab-home", "tab-search"])
        XCTAssertEqual(answer.ids.filter { $0.hasPrefix("row-") }.count, 16)
        let list = answer.nodes.first { $0["identifier"] as? String == "list" }
        XCTAssertEqual(list?["hiddenContentBelow"] as? Bool, true)
        XCTAssertNil(list?["hiddenContentAbove"])
    }

    func testATreeTooDeepForThePlatformIsRecoveredAndSaidToBe() {
        stage.show(.deep)
        let answer = stage.send("snapshot")
        XCTAssertTrue(answer.ids.contains("deep"))
        XCTAssertEqual(answer.quality["state"] as? String, "recovered")
        XCTAssertEqual(answer.quality["backend"] as? String, "private-ax")
        XCTAssertEqual(answer.quality["reasonCode"] as? String, "ax-rejected")
        XCTAssertNil(answer["runnerFatal"])
    }

    func testACompactCaptureOfABrokenTreeFailsClosedAndEndsTheSession() {
        stage.show(.counter)
        stage.device.arm(.axReject, 9)
        stage.device.arm(.privateReject, 9)
        let answer = stage.send("snapshot", ["interactiveOnly": true])
        XCTAssertEqual(answer.nodes.count, 1)
        XCTAssertEqual(answer["runnerFatal"], "1")
        XCTAssertEqual(answer["runnerFatalReason"], "ax_snapshot_unavailable")
        XCTAssertEqual(answer.quality["state"] as? String, "sparse")
    }

    func testARawCaptureOfABrokenTreeKeepsItsError() {
        stage.show(.counter)
        stage.device.arm(.axReject, 9)
        stage.device.arm(.privateReject, 9)
        XCTAssertEqual(stage.send("snapshot", ["raw": true]).code, "IOS_AX_SNAPSHOT_FAILED")
    }

    func testARejectedTreeMakesTheAppsHandleSuspectAndTheNextCommandFindsTheAppAfresh() {
        for raw in [false, true] {
            stage.show(.counter)
            stage.device.arm(.axReject, 9)
            stage.device.arm(.privateReject, 9)
            let before = stage.device.forgotten
            stage.send("snapshot", ["interactiveOnly": true, "raw": raw])
            XCTAssertGreaterThan(stage.device.forgotten, before, "raw: \(raw)")
            stage.device.clearFaults()
            XCTAssertEqual(stage.tap("counter")["message"], "tapped")
        }
    }

    func testASlowTreeIsLeftOutForAWhileRawIsExemptAndAnotherProcessStartsAfresh() {
        let backend = { (answer: Answer) in answer.quality["backend"] as? String }
        stage.show(.counter)
        stage.device.arm(.treeHang, 4000)
        XCTAssertEqual(backend(stage.send("snapshot")), "tree", "slow, and in time")
        let deferred = stage.send("snapshot")
        XCTAssertEqual(backend(deferred), "private-ax")
        XCTAssertEqual(deferred.quality["reasonCode"] as? String, "deferred")
        XCTAssertEqual(backend(stage.send("snapshot", ["raw": true])), "tree")
        stage.send("targetReset")
        XCTAssertEqual(backend(stage.send("snapshot")), "tree")
        stage.device.arm(.treeHang, 4000)
        stage.send("snapshot")
        XCTAssertEqual(backend(stage.send("snapshot")), "private-ax")
        stage.show(.counter)
        XCTAssertEqual(backend(stage.send("snapshot")), "tree", "the app has another process id")
        stage.device.arm(.treeHang, 4000)
        stage.send("snapshot")
        stage.time.wait(seconds: CaptureBudget.penalty)
        XCTAssertEqual(backend(stage.send("snapshot")), "tree", "two minutes later")
    }

    func testADegradedTreeIsNoEmptyScreen() {
        stage.show(.sparse)
        XCTAssertEqual(stage.send("snapshot").quality["state"] as? String, "sparse")
        stage.time.wait(seconds: 2)
        let answer = stage.send("snapshot")
        XCTAssertEqual(answer.quality["state"] as? String, "healthy")
        XCTAssertEqual(answer.ids, ["back"])
    }

    func testAScreenWithoutControlsIsNotDegraded() {
        stage.show(.never)
        XCTAssertEqual(stage.send("snapshot").quality["state"] as? String, "healthy")
        stage.show(.late)
        XCTAssertFalse(stage.send("snapshot").ids.contains("continue"))
        stage.time.wait(seconds: 1)
        XCTAssertTrue(stage.send("snapshot").ids.contains("continue"))
    }

    func testAPromptOfTheSystemIsTheSnapshot() {
        stage.show(.system)
        _ = stage.tap("ask-permission")
        let answer = stage.send("snapshot", ["scope": "After", "depth": 0])
        XCTAssertEqual(answer.nodes.map { $0["type"] as? String }, ["Alert", "Button", "Button", "StaticText"])
    }

    func testATouchAfterAPromptWasSeenIsForThePromptAndTheNextOneForTheApp() {
        stage.show(.system)
        let after = stage.send("snapshot").nodes.first { $0["identifier"] as? String == "after" }!
        _ = stage.tap("ask-permission")
        let touch = { (node: [String: Any]) in
            let rect = node["rect"] as! [String: Double]
            self.stage.send("tap", [
                "x": rect["x"]! + rect["width"]! / 2, "y": rect["y"]! + rect["height"]! / 2, "synthesized": true,
            ])
        }
        let prompt = stage.send("snapshot")
        XCTAssertEqual(prompt.nodes.first?["type"] as? String, "Alert")
        _ = touch(prompt.nodes[2])
        _ = touch(after)
        XCTAssertEqual(stage.events.filter { $0.hasPrefix("after") }, ["after tap"])
        // A prompt that comes up after the look is not what was meant.
        _ = stage.tap("ask-permission")
        let before = stage.events.count
        _ = touch(after)
        XCTAssertEqual(stage.events.count, before)
        XCTAssertEqual(stage.events.filter { $0.hasPrefix("after") }, ["after tap"])
    }

    func testASurfaceOfTheSystemIsServedInPlaceAndSaidToBe() {
        stage.show(.counter)
        stage.device.arm(.systemSurface, 1)
        let surface = stage.send("snapshot").data?["systemSurface"] as? [String: String]
        XCTAssertEqual(surface, ["bundleId": "com.apple.SafariViewService", "kind": "web-auth"])
    }

    func testAReadStartsNothing() {
        stage.show(.counter)
        stage.send("terminate")
        XCTAssertEqual(stage.send("snapshot").code, "APP_NOT_RUNNING")
        XCTAssertEqual(stage.send("appState")["applicationState"], "notRunning")
        XCTAssertEqual(stage.events, [" navigate launcher"])
        stage.send("activate")
        XCTAssertTrue(stage.send("snapshot").ids.contains("open-counter"))
    }

    func testCustomActionsAreReadOnRequestThroughThePrivateBackend() {
        stage.show(.list)
        let usual = stage.send("snapshot")
        XCTAssertNil(usual.quality["customActions"])
        XCTAssertTrue(usual.nodes.allSatisfy { $0["actions"] == nil })
        let answer = stage.send("snapshot", ["customActions": true])
        XCTAssertEqual(answer.quality["backend"] as? String, "private-ax")
        XCTAssertEqual(answer.quality["reasonCode"] as? String, "requested-backend")
        let told = answer.nodes.filter { $0["actions"] as? [String] == ["Archive", "Delete"] }
        XCTAssertEqual(told.compactMap { $0["identifier"] as? String }, (1...12).map { "row-\($0)" })
        let coverage = answer.quality["customActions"] as? [String: Any]
        XCTAssertEqual(coverage?["read"] as? Int, 12)
        XCTAssertEqual(coverage?["candidates"] as? Int, 202, "rows and tabs")
        XCTAssertEqual(coverage?["truncated"] as? Int, 0)
        XCTAssertEqual(coverage?["blocked"] as? Bool, false)
    }

    func testEntriesThatABarKeepsToItselfAreFoundByQueries() {
        let stage = Stage()
        stage.show(.list)
        let usual = stage.send("snapshot").ids
        stage.device.arm(.collapsedTabs, 2)
        XCTAssertEqual(stage.send("snapshot").ids, usual)
        XCTAssertFalse(stage.send("snapshot", ["raw": true]).ids.contains("tab-home"), "a raw tree is what it is")
    }
}

extension FastTime {
    func wait(seconds: Double) { pause(seconds) }
}
