import XCTest

@testable import RunnerCore

/// A tree behind a service that refuses to be asked for more than so many levels.
private final class Service: DepthLimitedReader {
    var children: [[Int]]
    var refusesAbove: Int
    /// Elements that are gone when they are read again.
    var gone: Set<Int> = []
    /// Elements from which no read can start.
    var unreachable: Set<Int> = []
    /// Whether the service says for a node on the last level whether it has children.
    var knowsChildren = true
    var asked: [Int] = []
    var onRead: () -> Void = {}

    init(_ children: [[Int]], refusesAbove: Int = 48) {
        self.children = children
        self.refusesAbove = refusesAbove
    }

    /// `length` nodes below each other, the last with `fan` children of one child each.
    static func chain(_ length: Int, fan: Int = 0, refusesAbove: Int = 48) -> Service {
        var children = (0..<length).map { $0 + 1 < length ? [$0 + 1] : [] }
        for _ in 0..<fan {
            children[length - 1].append(children.count)
            children.append([children.count + 1])
            children.append([])
        }
        return Service(children, refusesAbove: refusesAbove)
    }

    func read(from element: Int?, levels: Int) throws(CaptureFailure) -> DepthLimitedRead<Int> {
        asked.append(levels)
        onRead()
        if levels > refusesAbove { throw .axRejected("kAXErrorIllegalArgument: too many nested arrays") }
        let start = element ?? 0
        if gone.contains(start) { throw .failed("the element is gone") }
        var read = DepthLimitedRead<Int>(tree: RawTree())
        var pending: [(element: Int, parent: Int?)] = [(start, nil)]
        while let (element, parent) = pending.popLast() {
            let node = read.tree.append(NodeAttributes(.other, label: "\(element)"), under: parent)
            let depth = read.tree.nodes[node].depth
            if depth + 1 < levels {
                pending += children[element].reversed().map { ($0, node) }
            } else {
                read.tree.setCut(!knowsChildren || !children[element].isEmpty, of: node)
            }
            if !unreachable.contains(element) { read.elements[node] = element }
        }
        return read
    }
}

final class DepthLadderTests: XCTestCase {
    private let memory = CaptureMemory()
    private let app = CaptureTarget(bundleId: "com.example.app", pid: 7)
    private var now = 100.0

    private func capture(_ service: Service, depth: Int? = nil, mostNodes: Int = 5_000, seconds: Double = 20) throws
        -> DepthLadder.Result<Int>
    {
        var ladder = DepthLadder(memory: memory, uptime: { self.now })
        ladder.mostNodes = mostNodes
        return try ladder.capture(service, depth: depth, of: app, deadline: Deadline(uptime: now + seconds))
    }

    func testAHealthyTreeTakesOneRead() throws {
        let result = try capture(.chain(30, refusesAbove: 64))
        XCTAssertEqual(result.requests, 1)
        XCTAssertEqual(result.tree.nodes.count, 30)
        XCTAssertNil(result.effectiveDepth)
        XCTAssertFalse(result.truncated)
    }

    func testARefusedDepthIsLoweredAndTheRestIsReadFromWhereItWasCut() throws {
        let service = Service.chain(45)
        let result = try capture(service)
        XCTAssertEqual(service.asked, [64, 56, 40, 40])
        XCTAssertEqual(result.tree.nodes.count, 45)
        XCTAssertEqual(result.tree.nodes.map(\.depth), Array(0..<45))
        XCTAssertNil(result.effectiveDepth)
    }

    func testEachCutBranchIsReadOn() throws {
        let service = Service.chain(39, fan: 3)
        let result = try capture(service)
        XCTAssertEqual(result.requests, 6)
        XCTAssertEqual(result.tree.nodes.count, 45)
        XCTAssertNil(result.effectiveDepth)
        let order = result.tree.nodes.map { Int($0.attributes.label!)! }
        XCTAssertEqual(order, Array(0..<45), "children come together, in document order")
        XCTAssertEqual(result.elements.count, 45)
        XCTAssertTrue(result.elements.allSatisfy { $0 == $1 }, "each element goes where its node went")
    }

    func testADeepChainIsReadInParts() throws {
        let result = try capture(.chain(150))
        XCTAssertEqual(result.tree.nodes.count, 150)
        XCTAssertNil(result.effectiveDepth)
        XCTAssertEqual(result.requests, 6, "two refusals, one answer, three continuations")
    }

    func testEightContinuationsAreTheMostAndWhatIsMissedIsSaid() throws {
        let result = try capture(.chain(39, fan: 12))
        XCTAssertEqual(result.requests, 11)
        XCTAssertEqual(result.tree.nodes.count, 59)
        XCTAssertEqual(result.effectiveDepth, 39)
    }

    func testAnExplicitDepthIsTriedAsItIsAndNotReadBeyond() throws {
        let service = Service.chain(45)
        let result = try capture(service, depth: 2)
        XCTAssertEqual(service.asked, [3])
        XCTAssertEqual(result.tree.nodes.count, 3)
        XCTAssertNil(result.effectiveDepth, "nothing that was asked for is missing")
    }

    func testAnExplicitDepthBeyondTheLimitIsReadInPartsUpToIt() throws {
        let service = Service.chain(150)
        let result = try capture(service, depth: 60)
        XCTAssertEqual(service.asked, [61, 56, 40, 22])
        XCTAssertEqual(result.tree.nodes.count, 61)
        XCTAssertNil(result.effectiveDepth)
    }

    func testAnElementThatIsGoneAtTheBoundaryMakesTheTreeIncomplete() throws {
        let service = Service.chain(45)
        service.gone = [39]
        let result = try capture(service)
        XCTAssertEqual(result.tree.nodes.count, 40)
        XCTAssertEqual(result.effectiveDepth, 39)
    }

    func testAnElementThatCantBeReadAgainMakesTheTreeIncomplete() throws {
        let service = Service.chain(45)
        service.unreachable = [39]
        XCTAssertEqual(try capture(service).effectiveDepth, 39)
    }

    func testUnknownChildrenAreLookedFor() throws {
        let service = Service.chain(40)
        service.knowsChildren = false
        let result = try capture(service)
        XCTAssertEqual(result.tree.nodes.count, 40)
        XCTAssertNil(result.effectiveDepth)
    }

    func testTheNodeLimitTruncatesAndSaysDownToWhere() throws {
        let result = try capture(.chain(30, refusesAbove: 64), mostNodes: 4)
        XCTAssertTrue(result.truncated)
        XCTAssertEqual(result.tree.nodes.count, 4)
        XCTAssertEqual(result.effectiveDepth, 3)
    }

    func testADeadlineBeforeTheRetryFailsAfterOneRead() {
        let service = Service.chain(45)
        service.onRead = { self.now += 30 }
        XCTAssertThrowsError(try capture(service)) {
            guard case .axRejected? = $0 as? CaptureFailure else { return XCTFail("\($0)") }
        }
        XCTAssertEqual(service.asked, [64])
    }

    func testWithoutTimeNothingIsAsked() {
        let service = Service.chain(45)
        XCTAssertThrowsError(try capture(service, seconds: 0)) { XCTAssertEqual($0 as? CaptureFailure, .timedOut) }
        XCTAssertEqual(service.asked, [])
    }

    func testADeadlineDuringContinuationsKeepsWhatWasRead() throws {
        let service = Service.chain(45)
        service.onRead = { if service.asked.last == 40 { self.now += 30 } }
        let result = try capture(service)
        XCTAssertEqual(result.tree.nodes.count, 40)
        XCTAssertEqual(result.effectiveDepth, 39)
    }

    func testAnAcceptedDepthIsRememberedForTwoMinutesAndNotRenewedByUse() throws {
        _ = try capture(.chain(45))
        let again = Service.chain(45)
        XCTAssertEqual(try capture(again).requests, 2)
        XCTAssertEqual(again.asked, [40, 40])
        now += 100
        _ = try capture(.chain(45))
        now += 21
        let late = Service.chain(45)
        _ = try capture(late)
        XCTAssertEqual(late.asked.first, 64, "deeper is tried again")
    }

    func testARememberedDepthThatIsRefusedGoesFurtherDown() throws {
        _ = try capture(.chain(45))
        let service = Service.chain(45, refusesAbove: 20)
        let result = try capture(service)
        XCTAssertEqual(Array(service.asked.prefix(3)), [40, 24, 12])
        XCTAssertEqual(result.tree.nodes.count, 45)
        XCTAssertNil(result.effectiveDepth)
    }

    func testWhatWasAcceptedAtOnceTeachesNothing() throws {
        _ = try capture(.chain(10), depth: 2)
        let service = Service.chain(10, refusesAbove: 64)
        _ = try capture(service)
        XCTAssertEqual(service.asked, [64])
    }

    func testAFailureKeepsTheRememberedDepth() throws {
        _ = try capture(.chain(45))
        let broken = Service.chain(45)
        broken.gone = [0]
        XCTAssertThrowsError(try capture(broken))
        XCTAssertEqual(memory.depthHint(app, at: now), 40)
    }

    func testARememberedDepthBelongsToOneProcess() throws {
        _ = try capture(.chain(45))
        XCTAssertNil(memory.depthHint(CaptureTarget(bundleId: app.bundleId, pid: 8), at: now))
        memory.begin(CaptureTarget(bundleId: app.bundleId, pid: 8))
        XCTAssertNil(memory.depthHint(app, at: now), "another pid forgets it")
    }
}
