import XCTest

@testable import RunnerCore

final class QuerySweepTests: XCTestCase {
    private let app = NodeAttributes(.application, frame: Rect(0, 0, 320, 240))

    private func button(_ label: String, _ x: Double, _ y: Double) -> NodeAttributes {
        NodeAttributes(.button, label: label, frame: Rect(x, y, 50, 20))
    }

    func testResultsAreOneLevelInReadingOrderWithoutDuplicates() throws {
        let acquisition = try QuerySweep.run(root: app, query: { type in
            switch type {
            case .button: [button("c", 0, 50), button("b", 60, 0), button("b", 60, 0), NodeAttributes(.button, label: "nowhere")]
            case .cell: [NodeAttributes(.cell, label: "a", frame: Rect(0, 0, 50, 20))]
            default: []
            }
        }, isOver: { false })
        XCTAssertEqual(acquisition.tree.nodes.map(\.attributes.label), [nil, "a", "b", "c", "nowhere"])
        XCTAssertEqual(acquisition.tree.nodes.map(\.depth), [0, 1, 1, 1, 1])
        XCTAssertFalse(acquisition.truncated)
    }

    func testTheFirstRejectionEndsTheSweep() {
        var asked: [ElementType] = []
        XCTAssertThrowsError(try QuerySweep.run(root: app, query: { type throws(CaptureFailure) in
            asked.append(type)
            throw CaptureFailure.axRejected("kAXErrorIllegalArgument")
        }, isOver: { false }))
        XCTAssertEqual(asked, [.button])
    }

    func testWhatWasFoundBeforeARejectionIsKept() throws {
        let acquisition = try QuerySweep.run(root: app, query: { type throws(CaptureFailure) in
            if type == .button { return [button("a", 0, 0)] }
            throw CaptureFailure.axRejected("kAXErrorIllegalArgument")
        }, isOver: { false })
        XCTAssertEqual(acquisition.tree.nodes.count, 2)
        XCTAssertTrue(acquisition.truncated)
    }

    func testTheEndOfTheTimeIsAskedForBeforeEachQuery() throws {
        var left = 3
        var asked = 0
        let acquisition = try QuerySweep.run(root: app, query: { _ in
            asked += 1
            return [button("\(asked)", 0, Double(asked))]
        }, isOver: {
            left -= 1
            return left < 0
        })
        XCTAssertEqual(asked, 3)
        XCTAssertTrue(acquisition.truncated)
        XCTAssertThrowsError(try QuerySweep.run(root: app, query: { _ in [] }, isOver: { true }))
    }

    func testTabsOfACollapsedBarAreFoundInOneRow() {
        let bar = NodeAttributes(.tabBar, frame: Rect(0, 200, 320, 49))
        XCTAssertTrue(CollapsedTabs.mayBeCollapsed(bar, hasChildren: false))
        XCTAssertFalse(CollapsedTabs.mayBeCollapsed(bar, hasChildren: true))
        XCTAssertFalse(CollapsedTabs.mayBeCollapsed(NodeAttributes(.tabBar, frame: Rect(0, 0, 159, 49)), hasChildren: false))
        XCTAssertFalse(CollapsedTabs.mayBeCollapsed(NodeAttributes(.slider, frame: Rect(0, 0, 200, 120)), hasChildren: false))
        XCTAssertFalse(CollapsedTabs.mayBeCollapsed(NodeAttributes(.other, frame: Rect(0, 0, 320, 49)), hasChildren: false))
        let home = button("Home", 10, 210)
        let search = button("Search", 120, 212)
        let far = button("Far", 10, 100)
        let nameless = NodeAttributes(.button, frame: Rect(200, 210, 50, 20))
        let whole = NodeAttributes(.other, label: "Home, Search", frame: Rect(0, 200, 320, 49))
        let all = [home, search, far, nameless, whole]
        XCTAssertEqual(CollapsedTabs.entries(of: bar, among: all).map(\.label), ["Home", "Search"])
        XCTAssertEqual(CollapsedTabs.entries(of: bar, among: [home, far]), [], "one entry is the bar's label")
        let tall = NodeAttributes(.tabBar, frame: Rect(0, 0, 320, 100))
        XCTAssertEqual(CollapsedTabs.entries(of: tall, among: [button("a", 0, 0), button("b", 0, 61)]), [], "not one row")
        XCTAssertEqual(CollapsedTabs.entries(of: tall, among: [button("a", 0, 0), button("b", 0, 60)]).count, 2)
    }
}
