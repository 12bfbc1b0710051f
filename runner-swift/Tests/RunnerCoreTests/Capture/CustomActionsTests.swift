import XCTest

@testable import RunnerCore

final class CustomActionsTests: XCTestCase {
    private let time = ManualTime()
    private lazy var queue = ManualMain(time)
    private lazy var flight = SingleFlight(queue: queue, time: time)
    private let screen = Rect(0, 0, 400, 800)
    private let asked = Locked([Int]())

    private func app(_ nodes: [NodeAttributes]) -> RawTree {
        var tree = RawTree()
        tree.append(NodeAttributes(.application, label: "App", frame: screen), under: nil)
        for node in nodes { tree.append(node, under: 0) }
        return tree
    }

    private func card(_ label: String?, y: Double? = 0) -> NodeAttributes {
        NodeAttributes(.cell, label: label, frame: y.map { Rect(0, $0, 400, 40) })
    }

    private func read(
        _ tree: inout RawTree, unreachable: Set<Int> = [], seconds: Double = 20, silent: Set<Int> = [], _ actions: [Int: [String]] = [:]
    ) -> CustomActionsCoverage {
        let elements = Dictionary(uniqueKeysWithValues: tree.nodes.indices.filter { !unreachable.contains($0) }.map { ($0, $0) })
        return CustomActions.add(
            to: &tree, of: elements, viewport: screen, deadline: Deadline(uptime: time.uptime + seconds),
            uptime: { self.time.uptime }, flight: flight
        ) { [asked] element in
            asked.withLock { $0.append(element) }
            return silent.contains(element) ? nil : actions[element] ?? []
        }
    }

    func testOnlyLabelledLeavesAreAsked() {
        var tree = app([card("Post"), card(nil), card(" ")])
        tree.append(NodeAttributes(.staticText, label: "inside"), under: 1)
        let coverage = read(&tree, [4: ["Like", "Reply"]])
        XCTAssertEqual(asked.withLock { $0 }, [4])
        XCTAssertEqual(tree.nodes.map(\.actions), [[], [], [], [], ["Like", "Reply"]])
        XCTAssertEqual([coverage.read, coverage.candidates, coverage.truncated], [1, 1, 0])
        XCTAssertFalse(coverage.blocked)
    }

    func testThoseOnScreenComeFirstAndTwelveAreTheMost() {
        var tree = app((0..<5).map { card("above \($0)", y: -100) } + [card("nowhere", y: nil)] + (0..<10).map { card("\($0)") })
        let coverage = read(&tree)
        XCTAssertEqual(asked.withLock { $0 }, Array(7...16) + [1, 2])
        XCTAssertEqual([coverage.read, coverage.candidates], [12, 16])
    }

    func testAnElementThatCantBeAskedOrDoesNotSayCountsAsNotRead() {
        var tree = app([card("gone"), card("silent"), card("post")])
        let coverage = read(&tree, unreachable: [1], silent: [2], [3: ["Like"]])
        XCTAssertEqual(tree.nodes[3].actions, ["Like"])
        XCTAssertEqual([coverage.read, coverage.candidates], [1, 3])
    }

    func testAReadThatHangsCostsASecondAndEndsThePass() {
        var tree = app([card("a"), card("b"), card("c")])
        queue.delayNext(0, nil)
        let start = time.uptime
        let coverage = read(&tree)
        XCTAssertEqual(time.uptime - start, 1)
        XCTAssertEqual(coverage.read, 1)
        XCTAssertTrue(coverage.blocked)
        var next = app([card("a")])
        XCTAssertTrue(read(&next).blocked, "later captures don't wait behind it")
        XCTAssertEqual(time.uptime - start, 1)
    }

    func testTheDeadlineOfTheCaptureEndsThePass() {
        var tree = app([card("a"), card("b"), card("c")])
        queue.delayNext(0.5, 0.5)
        let coverage = read(&tree, seconds: 0.8)
        XCTAssertEqual([coverage.read, coverage.candidates], [1, 3])
        XCTAssertTrue(coverage.blocked, "the second read got what was left")
        XCTAssertEqual(time.uptime, 1000.8)
    }

    func testNamesAreFewShortAndDistinctAndAListThatIsNotWholeIsSaid() {
        var tree = app([card("a"), card("b"), card("c")])
        let long = String(repeating: "x", count: 81)
        let coverage = read(&tree, [1: [" Like ", "", "Like"], 2: (0..<9).map(String.init), 3: [long]])
        XCTAssertEqual(tree.nodes[1].actions, ["Like"])
        XCTAssertEqual(tree.nodes[2].actions, (0..<8).map(String.init))
        XCTAssertEqual(tree.nodes[3].actions, [String(long.dropLast())])
        XCTAssertEqual(coverage.truncated, 2)
    }
}
