import XCTest

@testable import RunnerCore

final class ActionabilityTests: XCTestCase {
    private struct Case: Decodable {
        var name: String
        var frame: [Number]?
        var viewport: [Number]?
        var enabled: Bool?
        var root: Bool?
        var hittable: Bool
    }

    func testHittableIsGeometryAndNeedsAKnownViewport() throws {
        for test in try Fixture.load("actionability", as: Cases<Case>.self).cases {
            XCTAssertEqual(
                Actionability.isHittable(
                    frame: test.frame.map { Rect($0) }, isEnabled: test.enabled ?? true, isRoot: test.root ?? false,
                    viewport: test.viewport.map { Rect($0) }), test.hittable, test.name)
        }
    }
}
