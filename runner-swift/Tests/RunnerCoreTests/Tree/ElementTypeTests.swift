import XCTest

@testable import RunnerCore

final class ElementTypeTests: XCTestCase {
    func testAnEmptyValueIsTheContentOfAFieldAndOfNothingElse() {
        XCTAssertEqual(ElementType.textField.value(reported: ""), "")
        XCTAssertNil(ElementType.textField.value(reported: nil), "absent is not empty")
        XCTAssertNil(ElementType.button.value(reported: ""))
        XCTAssertEqual(ElementType.switch.value(reported: "1"), "1")
    }

    private struct Row: Decodable {
        var raw: UInt
        var type: String
        var role: String
    }

    func testATypeHasItsWordOnTheWireOrGoesByItsNumber() throws {
        let rows = try Fixture.load("element-types", as: Cases<Row>.self).cases
        for row in rows { XCTAssertEqual(ElementType(rawValue: row.raw).name, row.type) }
        let words = rows.map(\.type).filter { !$0.hasPrefix("Element(") }
        XCTAssertEqual(Set(words), Set(ElementType.names.values), "every word is in the table")
        XCTAssertEqual(Set(words).count, words.count, "a word names one type")
    }
}
