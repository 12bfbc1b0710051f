import XCTest

@testable import RunnerCore

/// A tree of some accessibility source: elements are numbers, so that any depth can be made.
private struct Source: NodeReader {
    var elements: [(attributes: NodeAttributes, children: [Int])]

    func attributes(of handle: Int) -> NodeAttributes { elements[handle].attributes }
    func children(of handle: Int) -> [Int] { elements[handle].children }

    static func chain(_ count: Int) -> Source {
        Source(elements: (0..<count).map { at in
            (NodeAttributes(.other, label: "\(at)", frame: Rect(0, Double(at), 9, 9)), at + 1 < count ? [at + 1] : [])
        })
    }
}

final class TreeTests: XCTestCase {
    private let frame = Rect(0, 0, 100, 40)

    private func labels(_ tree: RawTree) -> [String?] { tree.nodes.map(\.attributes.label) }

    func testATreeIsReadInDocumentOrder() throws {
        let source = Source(elements: [
            (NodeAttributes(.application, label: "a"), [1, 3]), (NodeAttributes(.window, label: "b"), [2]),
            (NodeAttributes(.other, label: "c"), []), (NodeAttributes(.window, label: "d"), []),
        ])
        let tree = try source.read(0).tree
        XCTAssertEqual(labels(tree), ["a", "b", "c", "d"])
        XCTAssertEqual(tree.nodes.map(\.parent), [nil, 0, 1, 0])
        XCTAssertEqual(tree.nodes.map(\.depth), [0, 1, 2, 1])
        XCTAssertEqual(tree.subtreeEnds, [4, 3, 3, 4])
    }

    func testAHundredThousandNestedLevelsDontRecurse() throws {
        let tree = try Source.chain(100_000).read(0, options: .raw).tree
        XCTAssertEqual(tree.nodes.last?.depth, 99_999)
        XCTAssertEqual(tree.subtreeEnds.first, 100_000)
        let nodes = try Presenter(policy: .cursorProjected).present(
            tree, viewport: .reported(Rect(0, 0, 400, 800)), options: PresentationOptions(scope: "99999", raw: true))
        XCTAssertEqual(nodes.count, 1 + 0)
    }

    func testADuplicateIsSkippedAndItsChildrenStay() throws {
        let twin = NodeAttributes(.cell, label: "Row", frame: frame)
        let source = Source(elements: [
            (NodeAttributes(.application), [1, 2]), (twin, []), (twin, [3]), (NodeAttributes(.button, label: "Delete"), []),
        ])
        XCTAssertEqual(labels(try source.read(0).tree), [nil, "Row", "Delete"])
        XCTAssertEqual(try source.read(0).tree.nodes[2].parent, 0)
        XCTAssertEqual(labels(try source.read(0, options: .raw).tree), [nil, "Row", "Row", "Delete"], "raw keeps everything")
    }

    func testContainersThatBeginAtOnePointStayApartBySize() throws {
        let source = Source(elements: [
            (NodeAttributes(.application), [1]), (NodeAttributes(.other, frame: Rect(0, 0, 100, 100)), [2]),
            (NodeAttributes(.other, frame: Rect(0, 0, 100, 50)), []),
        ])
        XCTAssertEqual(try source.read(0).tree.nodes.count, 3)
        var options = ReadOptions()
        options.identityIncludesSize = false
        XCTAssertEqual(try source.read(0, options: options).tree.nodes.count, 2)
    }

    func testElementsWithoutAPlaceAreNeverTakenForDuplicates() throws {
        for frame in [nil, Rect.zero, .null, .infinite] as [Rect?] {
            let blank = NodeAttributes(.other, frame: frame)
            let source = Source(elements: [(NodeAttributes(.application), [1, 2]), (blank, []), (blank, [])])
            XCTAssertEqual(try source.read(0).tree.nodes.count, 3)
        }
    }

    func testARowWithoutANameTakesItsValueOrItsFirstLabelWithinFourLevels() throws {
        func named(_ row: NodeAttributes, wrappers: Int) throws -> String? {
            var elements: [(attributes: NodeAttributes, children: [Int])] = [(NodeAttributes(.application), [1]), (row, [2])]
            for at in 0..<wrappers { elements.append((NodeAttributes(.other), [3 + at])) }
            elements.append((NodeAttributes(.staticText, label: "Wi-Fi"), []))
            return try Source(elements: elements).read(0).tree.nodes[1].attributes.label
        }
        XCTAssertEqual(try named(NodeAttributes(.cell), wrappers: 0), "Wi-Fi")
        XCTAssertEqual(try named(NodeAttributes(.cell), wrappers: 3), "Wi-Fi")
        XCTAssertNil(try named(NodeAttributes(.cell), wrappers: 4))
        XCTAssertEqual(try named(NodeAttributes(.cell, label: " ", value: "On"), wrappers: 0), "On")
        XCTAssertEqual(try named(NodeAttributes(.cell, label: "Own", value: "On"), wrappers: 0), "Own")
        XCTAssertNil(try named(NodeAttributes(.other), wrappers: 0), "a container is not named after its content")
    }

    func testARawReadBeyondItsLimitFailsAndARegularOneHasNone() throws {
        var options = ReadOptions.raw
        options.maxNodes = 5_000
        XCTAssertEqual(try Source.chain(5_000).read(0, options: options).tree.nodes.count, 5_000)
        XCTAssertThrowsError(try Source.chain(5_001).read(0, options: options)) {
            XCTAssertEqual($0 as? NodeLimitExceeded, NodeLimitExceeded(limit: 5_000))
        }
        XCTAssertEqual(try Source.chain(9_000).read(0).tree.nodes.count, 9_000)
    }

    func testADepthLimitMarksWhatWasCut() throws {
        var options = ReadOptions()
        options.maxDepth = 1
        let tree = try Source.chain(4).read(0, options: options).tree
        XCTAssertEqual(tree.nodes.map(\.isCut), [false, true])
    }

    func testAReadEndsWhenItsCheckThrows() {
        var left = 3
        XCTAssertThrowsError(try Source.chain(10).read(0) {
            left -= 1
            if left == 0 { throw CaptureFailure.timedOut }
        })
    }

    func testParentsThatDontPrecedeTheirChildrenAreDropped() {
        let tree = RawTree([RawNode(NodeAttributes(.other), depth: 7, parent: 3), RawNode(NodeAttributes(.other), depth: 0, parent: 0)])
        XCTAssertEqual(tree.nodes.map(\.parent), [nil, 0])
        XCTAssertEqual(tree.nodes.map(\.depth), [0, 1])
    }

    func testTextsAreCutBetweenScalarsAndItIsSaid() throws {
        let note = String(repeating: "x", count: 10_000)
        XCTAssertEqual(TextLimit.cut(note), note, "a long note comes through whole")
        XCTAssertEqual(TextLimit.cut("aä€😀", to: 5), "aä", "no half character")
        XCTAssertEqual(TextLimit.cut("aä€😀", to: 6), "aä€")
        XCTAssertEqual(TextLimit.cut("a" + String(repeating: "\u{301}", count: 9), to: 4)?.utf8.count, 3)
        let source = Source(elements: [(NodeAttributes(.staticText, value: String(repeating: "x", count: 70_000)), [])])
        let read = try source.read(0)
        XCTAssertTrue(read.hasCutTexts)
        XCTAssertEqual(read.tree.nodes[0].attributes.value?.utf8.count, TextLimit.attribute)
        XCTAssertFalse(try Source.chain(2).read(0).hasCutTexts)
    }
}
