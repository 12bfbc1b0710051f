import AXService
import XCTest

/// What a description costs and gives where the server refuses deep reads.
final class CaptureTests: XCTestCase {
    private func describe(_ app: ScriptedApp, _ changes: [String: Any?] = [:]) -> [String: Any] {
        decoded(Service(app).reply(to: request(changes)))
    }

    private func recovery(_ reply: [String: Any]) -> [Int?] {
        let recovery = reply["recovery"] as? [String: Int] ?? [:]
        return ["requests", "rejected", "continuations", "acceptedLevels"].map { recovery[$0] }
    }

    private func assertWhole(
        _ app: ScriptedApp, _ expected: [Int], hint: Int? = nil, file: StaticString = #filePath, line: UInt = #line
    ) {
        let reply = describe(app, ["nativeLevelsHint": hint])
        XCTAssertEqual(labels(reply).sorted(), app.elements.map { "\($0.depth):\($0.label)" }.sorted(), file: file, line: line)
        XCTAssertEqual(reply["truncated"] as? Bool, false, file: file, line: line)
        XCTAssertEqual(recovery(reply), expected, file: file, line: line)
    }

    private func assertFails(_ reply: [String: Any], _ code: Failure.Code, file: StaticString = #filePath, line: UInt = #line) {
        XCTAssertEqual(reply["ok"] as? Bool, false, file: file, line: line)
        XCTAssertEqual(reply["error_code"] as? String, code.rawValue, file: file, line: line)
        XCTAssertEqual(reply["error_kind"] as? String, code.kind.rawValue, file: file, line: line)
        XCTAssertNil(reply["tree"], "a failure brings no tree", file: file, line: line)
    }

    private func app(_ elements: [ScriptedApp.Element], rejectAbove: Int = .max) -> ScriptedApp {
        let app = ScriptedApp(elements)
        app.rejectAbove = rejectAbove
        return app
    }

    func testAHealthyTreeTakesOneRead() {
        assertWhole(app(ScriptedApp.chain(45)), [1, 0, 0, 65])
    }

    func testARefusedReadIsHalvedAndContinuedAtItsBoundary() {
        assertWhole(app(ScriptedApp.chain(45), rejectAbove: 48), [3, 1, 1, 32])
    }

    func testEachBranchThatCrossesTheBoundaryIsContinued() {
        assertWhole(app(ScriptedApp.fan(trunk: 31, branches: 3, length: 4), rejectAbove: 48), [5, 1, 3, 32])
        assertWhole(app(ScriptedApp.fan(trunk: 15, branches: 12, length: 4), rejectAbove: 20), [15, 2, 12, 16])
    }

    func testTheDocumentOrderOutlivesContinuations() {
        let app = app(ScriptedApp.fan(trunk: 15, branches: 3, length: 4), rejectAbove: 20)
        XCTAssertEqual(labels(describe(app)), app.elements.map { "\($0.depth):\($0.label)" })
    }

    func testBelowTheDeepestWantedLevelTheTreeIsTruncated() {
        let reply = describe(app(ScriptedApp.chain(70), rejectAbove: 48))
        XCTAssertEqual(labels(reply).last, "64:64")
        XCTAssertEqual(reply["truncated"] as? Bool, true)
    }

    func testAnExplicitDepthCountsFromTheApp() {
        let reply = describe(app(ScriptedApp.chain(45)), ["maxDepth": 2])
        XCTAssertEqual(labels(reply), ["0:0", "1:1", "2:2"])
        XCTAssertEqual(reply["truncated"] as? Bool, true)
        let whole = describe(app(ScriptedApp.chain(3)), ["maxDepth": 2])
        XCTAssertEqual(whole["truncated"] as? Bool, false, "the last level ends the tree here")
    }

    func testTheNodeLimitTruncates() {
        let reply = describe(app(ScriptedApp.chain(45)), ["maxNodes": 4])
        XCTAssertEqual(labels(reply).count, 4)
        XCTAssertEqual(reply["truncated"] as? Bool, true)
        let whole = describe(app(ScriptedApp.chain(4)), ["maxNodes": 4])
        XCTAssertEqual(whole["truncated"] as? Bool, false, "a tree that fits is whole")
    }

    func testAnUnknownBoundaryFailsTheDescription() {
        let app = app(ScriptedApp.chain(45), rejectAbove: 48)
        app.knowsChildren = false
        assertFails(describe(app), .boundaryEvidenceMissing)
    }

    func testABoundaryThatCantBeReadFailsTheDescription() {
        let app = app(ScriptedApp.chain(45), rejectAbove: 48)
        app.givesHandles = false
        assertFails(describe(app), .continuationElementMissing)
    }

    func testTheReadsAreCounted() {
        let app = app(ScriptedApp.fan(trunk: 15, branches: 40, length: 2), rejectAbove: 20)
        assertFails(describe(app), .continuationBudgetExhausted)
        XCTAssertEqual(app.reads, 32)
    }

    func testAServerThatRefusesEverythingIsAskedThreeTimes() {
        let app = app(ScriptedApp.chain(45), rejectAbove: 0)
        assertFails(describe(app), .depthRejected)
        XCTAssertEqual(app.reads, 3)
    }

    func testAHintSavesTheRefusedRead() {
        assertWhole(app(ScriptedApp.chain(45), rejectAbove: 48), [2, 0, 1, 40], hint: 40)
    }

    func testAServerThatCountsOtherwiseIsContinuedAsWell() {
        for counts in [-1, 1] {
            let app = app(ScriptedApp.fan(trunk: 15, branches: 2, length: 20), rejectAbove: 20)
            app.levelsOff = counts
            let reply = describe(app)
            XCTAssertEqual(labels(reply), app.elements.map { "\($0.depth):\($0.label)" }, "\(counts)")
            XCTAssertEqual(reply["truncated"] as? Bool, false)
        }
    }

    func testABoundaryThatShowsNothingIsNoEnd() {
        let app = app(ScriptedApp.chain(45), rejectAbove: 48)
        app.hidesContinuations = true
        let reply = describe(app)
        XCTAssertEqual(labels(reply).count, 32)
        XCTAssertEqual(reply["truncated"] as? Bool, true)
    }

    func testOnlyTheAppInFrontIsRead() {
        for owners in [[nil], [7], [nil, 42]] as [[Int32?]] {
            let app = app(ScriptedApp.chain(3))
            app.owners = owners
            assertFails(describe(app), .foregroundOwnerUnverified)
            XCTAssertEqual(app.reads, 0, "nothing of an app behind another is read")
        }
        let app = app(ScriptedApp.chain(3))
        app.owners = [42, 7]
        assertFails(describe(app), .foregroundOwnerChanged)
    }

    func testTheOwnerIsCheckedBeforeEveryRead() {
        let app = app(ScriptedApp.chain(45), rejectAbove: 48)
        app.owners = [42, 42, 7]
        assertFails(describe(app), .foregroundOwnerChanged)
        XCTAssertEqual(app.reads, 2)
    }

    func testNothingIsReadPastTheDeadline() throws {
        let app = app(ScriptedApp.chain(45), rejectAbove: 48)
        let wanted = try DescribeRequest.decode(request())
        var left = [1.0, 0.0]
        var capture = Capture(app, wanted) { left.count > 1 ? left.removeFirst() : left[0] }
        XCTAssertThrowsError(try capture.run()) { XCTAssertEqual(($0 as? Failure)?.code, .applicationTimeout) }
        XCTAssertEqual(app.reads, 1)
    }

    func testWhatIsNoTreeIsMalformed() {
        for depths in [[1], [0, 2], [0, 0], [0, 1, 3]] {
            let reply = decoded(Service(Broken(depths)).reply(to: request()))
            assertFails(reply, .snapshotTreeMalformed)
        }
        assertFails(decoded(Service(Broken([])).reply(to: request())), .emptyResponse)
    }

    func testASourceThatGivesMoreThanAskedIsCut() {
        let reply = decoded(Service(Broken([0, 1, 2, 3, 1])).reply(to: request(["maxDepth": 1])))
        XCTAssertEqual(labels(reply).count, 3)
        XCTAssertEqual(reply["truncated"] as? Bool, true)
    }
}

/// A server that gives these depths, whatever is asked.
private struct Broken: TreeSource {
    let depths: [Int]

    init(_ depths: [Int]) {
        self.depths = depths
    }

    func foregroundOwner() throws(Failure) -> Int32? { 42 }
    func application(_ pid: Int32) throws(Failure) -> Int { 0 }
    func read(_ handle: Int, levels: Int, nodes: Int, seconds: Double) throws(ReadFailure) -> Reading<Int> {
        Reading(depths.map { .init(depth: $0, facts: ElementFacts(), children: 0, handle: nil) })
    }
}
