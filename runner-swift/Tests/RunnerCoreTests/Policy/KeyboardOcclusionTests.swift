import XCTest

@testable import RunnerCore

final class KeyboardOcclusionTests: XCTestCase {
    private struct Case: Decodable {
        enum State: Decodable {
            case word(String)
            case band([Double])

            init(from decoder: Decoder) throws {
                let container = try decoder.singleValueContainer()
                self = try (try? container.decode([Double].self)).map(State.band) ?? .word(container.decode(String.self))
            }
        }
        var name: String
        var viewport: [Double]?
        var elements: [FixtureNode]
        var target: FixtureNode?
        var state: State
        var point: [Double]
        var takes: Bool
    }

    func testADockedKeyboardTakesTouchesThatDontMeanIt() throws {
        func attributes(_ node: FixtureNode) -> NodeAttributes {
            NodeAttributes(
                ElementType(rawValue: node.type), label: node.label, identifier: node.identifier, frame: node.frame.map { Rect($0) })
        }
        for test in try Fixture.load("keyboard-occlusion", as: Cases<Case>.self).cases {
            let elements = test.elements.map(attributes)
            let occlusion = KeyboardOcclusion(elements, viewport: test.viewport.map { Rect($0) })
            switch test.state {
            case .word("absent"): XCTAssertEqual(occlusion, .absent, test.name)
            case .word: XCTAssertEqual(occlusion, .undetermined, test.name)
            case .band(let band): XCTAssertEqual(occlusion, .band(Rect(band)), test.name)
            }
            XCTAssertEqual(
                occlusion.takes(Point(test.point[0], test.point[1]), keys: elements, target: test.target.map(attributes)),
                test.takes, test.name)
        }
    }

    func testADragThatWouldCrossTheKeyboardIsMovedUpIfItsStartStaysOnScreen() {
        let viewport = Rect(0, 0, 400, 800)
        let keyboard = Rect(0, 500, 400, 300)
        func shift(_ from: Point, _ to: Point, _ keyboard: Rect?) -> [Point] {
            let moved = KeyboardClip.shift(from: from, to: to, keyboard: keyboard, viewport: viewport)
            return [moved.from, moved.to]
        }
        let crossing = (Point(200, 600), Point(200, 300))
        XCTAssertEqual(shift(crossing.0, crossing.1, keyboard), [Point(200, 488), Point(200, 188)])
        XCTAssertEqual(shift(crossing.1, crossing.0, keyboard), [Point(200, 188), Point(200, 488)])
        XCTAssertEqual(shift(crossing.0, crossing.1, nil), [crossing.0, crossing.1])
        XCTAssertEqual(shift(Point(200, 480), Point(200, 100), keyboard), [Point(200, 480), Point(200, 100)], "clear of it")
        XCTAssertEqual(shift(Point(200, 700), Point(200, 50), keyboard), [Point(200, 700), Point(200, 50)], "no room above")
        XCTAssertEqual(shift(Point(350, 600), Point(350, 300), Rect(0, 500, 300, 300)), [Point(350, 600), Point(350, 300)], "beside it")
    }
}
