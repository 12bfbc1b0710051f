import XCTest

@testable import RunnerCore

final class WindowSpaceTests: XCTestCase {
    private struct Table: Decodable {
        struct Place: Decodable {
            var name: String
            var size: [Double]
            var orientation: Int
            var interface: [Double]
            var native: [Double]
        }
        struct Window: Decodable {
            var name: String
            var app: [Double]
            var orientation: Int
            var frame: [Double]
            var anchor: String
            var inherited: String
            var space: String
        }
        var cases: [Place]
        var windows: [Window]
    }

    private func space(_ size: [Double], _ orientation: Int) -> WindowSpace {
        WindowSpace(size: Size(size[0], size[1]), orientation: InterfaceOrientation(rawValue: orientation)!)
    }

    func testLandscapePointsAreConvertedToTheNativePortraitSpaceAndBack() throws {
        for place in try Fixture.load("window-space", as: Table.self).cases {
            let space = space(place.size, place.orientation)
            XCTAssertEqual(space.native(Rect(place.interface)), Rect(place.native), place.name)
            XCTAssertEqual(space.interface(Rect(place.native)), Rect(place.interface), place.name)
            let center = Rect(place.interface).center
            XCTAssertEqual(space.native(center), Rect(place.native).center, place.name)
            XCTAssertEqual(space.interface(space.native(center)), center, place.name)
        }
    }

    func testAWindowThatWasNotTurnedIsReadInNativeSpace() throws {
        let anchors: [String: WindowSpace.Anchor] = ["window": .window, "childOfWindow": .childOfWindow, "other": .other]
        let spaces: [String: FrameSpace] = ["interface": .interface, "native": .native]
        for window in try Fixture.load("window-space", as: Table.self).windows {
            let found = space(window.app, window.orientation).space(
                of: Rect(window.frame), anchor: anchors[window.anchor]!, inherited: spaces[window.inherited]!)
            XCTAssertEqual(found, spaces[window.space], window.name)
        }
    }

    func testAWindowWithoutAFrameStartsInInterfaceSpace() {
        let space = space([874, 402], 3)
        XCTAssertEqual(space.space(of: nil, anchor: .window, inherited: .native), .interface)
        XCTAssertEqual(space.space(of: .infinite, anchor: .childOfWindow, inherited: .native), .native)
    }

    func testRectanglesWithoutCornersAreNotTurned() {
        let space = space([874, 402], 3)
        XCTAssertTrue(space.native(.null).isNull)
        XCTAssertTrue(space.native(.infinite).isInfinite)
    }

    func testOrientationsHaveOneWordEach() {
        for orientation in InterfaceOrientation.allCases where orientation != .unknown {
            XCTAssertEqual(InterfaceOrientation(name: orientation.name), orientation)
        }
        XCTAssertNil(InterfaceOrientation(name: "unknown"))
        XCTAssertNil(InterfaceOrientation(name: "sideways"))
    }
}
