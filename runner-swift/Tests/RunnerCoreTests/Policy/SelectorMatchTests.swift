import XCTest

@testable import RunnerCore

final class SelectorMatchTests: XCTestCase {
    private struct Case: Decodable {
        var name: String
        var key: String
        var value: String
        var label: String?
        var identifier: String?
        var type_value: String?
        var holds: Bool
    }

    func testASelectorHoldsForTheWholeTextWithoutCase() throws {
        for test in try Fixture.load("selector-match", as: Cases<Case>.self).cases {
            let selector = Command.ElementSelector(key: .init(rawValue: test.key)!, value: test.value)
            let element = NodeAttributes(.button, label: test.label, identifier: test.identifier, value: test.type_value)
            XCTAssertEqual(SelectorMatch.holds(selector, for: element), test.holds, test.name)
        }
    }

    func testFindingTextLooksForAPart() {
        let element = NodeAttributes(.staticText, label: "Welcome, Anna", identifier: "welcome", value: "42 €")
        for text in ["anna", " WELCOME ", "42"] { XCTAssertTrue(SelectorMatch.contains(text, in: element), text) }
        for text in ["", "  ", "staticText", "bye"] { XCTAssertFalse(SelectorMatch.contains(text, in: element), text) }
    }

    private func found(_ id: String, _ frame: Rect?, hittable: Bool = true, label: String = "Delete") -> FoundElement {
        FoundElement(NodeAttributes(.button, label: label, identifier: id, frame: frame), isHittable: hittable, handle: id)
    }

    private let delete = Command.ElementSelector(key: .label, value: "delete")

    private func choose(_ candidates: [FoundElement], _ policy: SelectorMatch.Policy) -> String {
        switch SelectorMatch.choose(delete, among: candidates, policy: policy) {
        case .miss: "miss"
        case .ambiguous(let count): "ambiguous \(count)"
        case .element(let element): "element \(element.handle)"
        case .place(let element, let point): "place \(element.handle) \(Int(point.x)),\(Int(point.y))"
        }
    }

    func testATapTakesOneHittableElementAndNeverOneOfSeveral() {
        let (a, b) = (found("a", Rect(0, 0, 50, 20)), found("b", Rect(0, 100, 50, 20)))
        let hidden = found("c", Rect(0, 200, 50, 20), hittable: false)
        let table: [(String, [FoundElement], String)] = [
            ("none", [], "miss"), ("another text", [found("x", nil, label: "Keep")], "miss"), ("one", [a], "element a"),
            ("two", [a, b], "ambiguous 2"), ("one that a touch doesn't reach", [hidden], "miss"),
            ("a hidden one counts: it may be the one that was meant", [a, hidden], "ambiguous 2"),
            ("one element reported twice is one", [a, a], "element a"),
        ]
        for (name, candidates, expected) in table { XCTAssertEqual(choose(candidates, .rejectDistinctMatches), expected, name) }
    }

    func testAQueryPrefersTheHittableElement() {
        let (a, b) = (found("a", Rect(0, 0, 50, 20)), found("b", Rect(0, 100, 50, 20)))
        let (c, d) = (found("c", Rect(0, 200, 50, 20), hittable: false), found("d", Rect(0, 300, 50, 20), hittable: false))
        let table: [(String, [FoundElement], String)] = [
            ("none", [], "miss"), ("one of two", [c, a], "element a"), ("two", [a, b, c], "ambiguous 2"),
            ("one without", [c], "element c"), ("two without", [c, d], "ambiguous 2"),
        ]
        for (name, candidates, expected) in table { XCTAssertEqual(choose(candidates, .preferHittableMatch), expected, name) }
    }

    func testThePermissionToTouchAPlaceTakesTheOnlyFrame() {
        let a = found("a", Rect(0, 0, 50, 20))
        let c = found("c", Rect(0, 200, 50, 20), hittable: false)
        let d = found("d", Rect(0, 300, 50, 20), hittable: false)
        let frameless = found("e", nil, hittable: false)
        let table: [(String, [FoundElement], Point?, String)] = [
            ("a hittable one first", [c, a], nil, "element a"), ("the only frame", [c, frameless], nil, "place c 25,210"),
            ("two frames", [c, d], nil, "ambiguous 2"), ("no frame", [frameless], nil, "miss"),
            ("only what lies under the point", [a, c, d], Point(5, 305), "place d 5,305"),
            ("the point itself is touched", [a, c], Point(5, 5), "place a 5,5"),
            ("nothing under the point", [a, c], Point(300, 300), "miss"),
            ("two under the point", [c, found("f", Rect(0, 200, 60, 60), hittable: false)], Point(5, 205), "ambiguous 2"),
        ]
        for (name, candidates, point, expected) in table {
            XCTAssertEqual(choose(candidates, .allowNonHittable(at: point)), expected, name)
        }
    }
}

final class TapPointTests: XCTestCase {
    private let window = Rect(0, 0, 320, 240)

    func testAnElementWithAFrameIsTouchedInItsMiddleAndOthersByTheFramework() throws {
        XCTAssertEqual(try TapPoint(of: NodeAttributes(.button, frame: Rect(10, 20, 30, 40)), window: window), .point(Point(25, 40)))
        for frame in [nil, .zero, .null, .infinite, Rect(0, 0, -5, 5), Rect(.nan, 0, 5, 5)] as [Rect?] {
            XCTAssertEqual(try TapPoint(of: NodeAttributes(.button, frame: frame), window: window), .element)
        }
    }

    func testAMiddleOutsideTheWindowIsRefusedBeforeAnythingIsSent() throws {
        func code(_ frame: Rect, _ window: Rect?) -> ErrorCode? {
            do {
                _ = try TapPoint(of: NodeAttributes(.button, frame: frame), window: window)
                return nil
            } catch {
                return error.code
            }
        }
        XCTAssertEqual(code(Rect(300, 0, 50, 20), window), .elementOffscreen)
        XCTAssertNil(code(Rect(295, 0, 50, 20), window), "the edge belongs to the window")
        XCTAssertEqual(code(Rect(0, -30, 50, 20), window), .elementOffscreen)
        for unknown in [nil, Rect.zero, .infinite, .null] as [Rect?] {
            XCTAssertNil(code(Rect(900, 900, 50, 20), unknown), "a window that isn't known refuses nothing")
        }
    }

    func testTextAtAPointIsThatOfTheInputOrTheSmallestElement() {
        let page = NodeAttributes(.other, label: "page", frame: window)
        let title = NodeAttributes(.staticText, label: "Title", value: "ignored", frame: Rect(0, 0, 100, 20))
        let field = NodeAttributes(.textField, label: "Email", value: "a@b.c", frame: Rect(0, 0, 200, 40))
        XCTAssertEqual(TextAtPoint.text(Point(5, 5), among: [page, title]), "Title")
        XCTAssertEqual(TextAtPoint.text(Point(5, 5), among: [page, title, field]), "a@b.c", "an input first")
        XCTAssertEqual(TextAtPoint.text(Point(5, 100), among: [page, title, field]), "page")
        XCTAssertNil(TextAtPoint.text(Point(500, 5), among: [page]))
        XCTAssertNil(TextAtPoint.text(Point(5, 5), among: [NodeAttributes(.other, label: "no place")]))
    }
}
