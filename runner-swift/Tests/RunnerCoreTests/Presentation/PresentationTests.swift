import XCTest

@testable import RunnerCore

struct FixtureNode: Decodable {
    var type: UInt
    var label: String?
    var identifier: String?
    var value: String?
    var frame: [Double]?
    var parent: Int?

    static func tree(_ nodes: [FixtureNode]) -> RawTree {
        RawTree(
            nodes.map { node in
                RawNode(
                    NodeAttributes(
                        ElementType(rawValue: node.type), label: node.label, identifier: node.identifier, value: node.value,
                        frame: node.frame.map { Rect($0) }), depth: 0, parent: node.parent)
            })
    }
}

final class PresentationTests: XCTestCase {
    private struct Case: Decodable {
        struct Expected: Decodable {
            var label: String?
            var rect: [Double]?
            var depth: Int
            var hittable: Bool?
            var above: Bool?
            var below: Bool?
        }
        var name: String
        var viewport: [Double]?
        var policy: String
        var interactiveOnly: Bool?
        var depth: Int?
        var scope: String?
        var raw: Bool?
        var nodes: [FixtureNode]
        var expect: [Expected]
    }

    private let policies: [String: FoldPolicy] = ["cursor-projected": .cursorProjected, "plain-viewport": .plainViewport]

    func testTheFoldClipsHintsScopesAndCutsAsTheTableSays() throws {
        for test in try Fixture.load("presentation", as: Cases<Case>.self).cases {
            let tree = FixtureNode.tree(test.nodes)
            let options = PresentationOptions(
                interactiveOnly: test.interactiveOnly ?? false, depth: test.depth, scope: test.scope, raw: test.raw ?? false)
            let nodes = try Presenter(policy: policies[test.policy]!).present(
                tree, viewport: Viewport(reported: test.viewport.map { Rect($0) }, tree: tree), options: options)
            XCTAssertEqual(nodes.map(\.label), test.expect.map(\.label), test.name)
            for (node, expected) in zip(nodes, test.expect) {
                let place = "\(test.name): \(expected.label ?? "–")"
                XCTAssertEqual(node.rect, expected.rect.map { Rect($0) }, place)
                XCTAssertEqual(node.depth, expected.depth, place)
                XCTAssertEqual(node.hidesContentAbove, expected.above ?? false, "\(place) above")
                XCTAssertEqual(node.hidesContentBelow, expected.below ?? false, "\(place) below")
                if let hittable = expected.hittable { XCTAssertEqual(node.isHittable, hittable, "\(place) hittable") }
            }
        }
    }

    private struct ScopeTable: Decodable {
        struct Case: Decodable {
            var name: String
            var scope: String
            var expect: [String]
        }
        var viewport: [Double]
        var nodes: [FixtureNode]
        var cases: [Case]
    }

    func testAScopeSelectsTheFirstContributingMatchOrNothing() throws {
        let table = try Fixture.load("scope", as: ScopeTable.self)
        for test in table.cases {
            let nodes = try Presenter(policy: .cursorProjected).present(
                FixtureNode.tree(table.nodes), viewport: .reported(Rect(table.viewport)),
                options: PresentationOptions(scope: test.scope))
            XCTAssertEqual(nodes.map(\.label), test.expect, test.name)
        }
    }

    /// Interactive ⊆ regular ⊆ raw, on the nodes that they were made from, over random trees.
    func testEveryViewIsASubsetOfTheLargerOne() throws {
        var random = SplitMix(seed: 7)
        let types: [ElementType] = [.other, .cell, .scrollView, .table, .button, .staticText, .window, .textView]
        for _ in 0..<300 {
            var tree = RawTree()
            tree.append(NodeAttributes(.application, frame: Rect(0, 0, 320, 240)), under: nil)
            var path = [0]
            for at in 1..<40 {
                path.removeLast(random.below(path.count))
                let place = Rect(
                    Double(random.below(600)) - 150, Double(random.below(500)) - 150, Double(random.below(300)),
                    Double(random.below(200)))
                let attributes = NodeAttributes(
                    types[random.below(types.count)], label: random.below(2) == 0 ? "\(at)" : nil,
                    frame: random.below(8) == 0 ? nil : place)
                path.append(tree.append(attributes, under: path.last ?? 0))
            }
            for policy in [FoldPolicy.cursorProjected, .plainViewport] {
                func sources(_ options: PresentationOptions) throws -> Set<Int> {
                    Set(
                        try Presenter(policy: policy).present(tree, viewport: .reported(Rect(0, 0, 320, 240)), options: options)
                            .map(\.source))
                }
                let raw = try sources(PresentationOptions(raw: true))
                let regular = try sources(PresentationOptions())
                let interactive = try sources(PresentationOptions(interactiveOnly: true))
                XCTAssertEqual(raw.count, tree.nodes.count)
                XCTAssertTrue(interactive.isSubset(of: regular))
            }
        }
    }

    func testANodeOutsideItsCumulativeClipFailsThePresentation() {
        let clip = Rect(0, 0, 100, 100)
        func check(_ effective: Rect?, _ isHittable: Bool) throws {
            try Presenter.check([Fold.Verdict(isIncluded: true, effective: effective, clip: clip)], isHittable: [isHittable])
        }
        XCTAssertNoThrow(try check(Rect(0, 0, 100, 100), true))
        XCTAssertNoThrow(try check(Rect(0, 0, 100.00005, 100), true), "rounding")
        XCTAssertNoThrow(try check(nil, false))
        XCTAssertNoThrow(try check(.null, false))
        XCTAssertThrowsError(try check(Rect(0, 0, 100.1, 100), true))
        XCTAssertThrowsError(try check(Rect(-1, 0, 50, 50), true))
        XCTAssertThrowsError(try check(.null, true), "what has no size is never hittable")
    }

    func testNodesOutOfDocumentOrderFailThePresentation() throws {
        let tree = RawTree([
            RawNode(NodeAttributes(.application), depth: 0, parent: nil), RawNode(NodeAttributes(.button), depth: 1, parent: 0),
            RawNode(NodeAttributes(.button), depth: 2, parent: 1),
        ])
        let nodes = try Presenter(policy: .cursorProjected).present(
            tree, viewport: .missing(.notProvided), options: PresentationOptions())
        XCTAssertEqual(nodes.count, 3)
        XCTAssertNoThrow(try Presenter.checkOrder(nodes))
        let breaks: [(inout [PresentedNode]) -> Void] = [
            { $0[1].index = 5 }, { $0[1].parentIndex = 2 }, { $0[2].depth = 1 }, { $0[0].depth = 1 }, { $0[2].source = 1 },
            { $0.swapAt(1, 2) },
        ]
        for change in breaks {
            var broken = nodes
            change(&broken)
            XCTAssertThrowsError(try Presenter.checkOrder(broken))
        }
    }

    func testBooleansGoOutOnlyWhenTheyHoldAndUnknownPlacesNever() throws {
        let tree = RawTree([
            RawNode(NodeAttributes(.application, frame: .infinite), depth: 0, parent: nil),
            RawNode(
                NodeAttributes(
                    .switch, label: "Wi-Fi", identifier: "wifi", value: "1", placeholder: "hint", frame: Rect(1, 2, 30.5, 20),
                    isFocused: true, isSelected: true), depth: 1, parent: 0, actions: ["Reply"]),
        ])
        let nodes = try Presenter(policy: .cursorProjected).present(
            tree, viewport: .reported(Rect(0, 0, 320, 240)), options: PresentationOptions())
        XCTAssertEqual(
            nodes.map { String(decoding: $0.json.encoded(), as: UTF8.self) },
            [
                #"{"index":0,"type":"Application","enabled":true,"hittable":false,"depth":0}"#,
                #"{"index":1,"type":"Switch","label":"Wi-Fi","identifier":"wifi","value":"1","placeholder":"hint","rect":{"x":1,"y":2,"width":30.5,"height":20},"enabled":true,"focused":true,"selected":true,"hittable":true,"depth":1,"parentIndex":0,"actions":["Reply"]}"#,
            ])
    }

    func testAViewportIsReportedOrDerivedFromTheLargestRootOrMissing() {
        let tree = RawTree([
            RawNode(NodeAttributes(.application, frame: Rect(0, 0, 0, 0)), depth: 0, parent: nil),
            RawNode(NodeAttributes(.window, frame: Rect(0, 0, 320, 240)), depth: 1, parent: 0),
            RawNode(NodeAttributes(.window, frame: Rect(0, 0, 320, 40)), depth: 1, parent: 0),
            RawNode(NodeAttributes(.other, frame: Rect(0, 0, 900, 900)), depth: 1, parent: 0),
        ])
        let known = Rect(0, 0, 100, 100)
        XCTAssertEqual(Viewport(reported: known, tree: tree), .reported(known))
        XCTAssertEqual(Viewport(reported: nil, tree: tree), .derived(Rect(0, 0, 320, 240)))
        XCTAssertEqual(Viewport(reported: .infinite, tree: tree), .derived(Rect(0, 0, 320, 240)))
        XCTAssertEqual(Viewport(reported: nil, tree: RawTree()), .missing(.notProvided))
        XCTAssertEqual(Viewport(reported: .infinite, tree: RawTree()), .missing(.invalid))
        XCTAssertNil(Viewport.missing(.invalid).rect)
    }

    /// No recursion and nothing quadratic: a list of many rows in a deep tree.
    func testTensOfThousandsOfNodesArePresented() throws {
        var tree = RawTree()
        var parent = tree.append(NodeAttributes(.application, frame: Rect(0, 0, 320, 240)), under: nil)
        for _ in 0..<20_000 { parent = tree.append(NodeAttributes(.other, frame: Rect(0, 0, 320, 240)), under: parent) }
        for at in 0..<20_000 {
            tree.append(NodeAttributes(.button, label: "\(at)", frame: Rect(0, Double(at % 240), 9, 9)), under: parent)
        }
        let nodes = try Presenter(policy: .cursorProjected).present(
            tree, viewport: .reported(Rect(0, 0, 320, 240)), options: PresentationOptions(scope: "19999"))
        XCTAssertEqual(nodes.map(\.label), ["19999"])
    }
}

/// A small reproducible source of numbers.
struct SplitMix {
    private var state: UInt64

    init(seed: UInt64) {
        state = seed
    }

    mutating func below(_ bound: Int) -> Int {
        state &+= 0x9e37_79b9_7f4a_7c15
        var z = state
        z = (z ^ (z >> 30)) &* 0xbf58_476d_1ce4_e5b9
        z = (z ^ (z >> 27)) &* 0x94d0_49bb_1331_11eb
        return Int((z ^ (z >> 31)) % UInt64(bound))
    }
}
