import XCTest

@testable import RunnerCore

final class RectTests: XCTestCase {
    private let box = Rect(10, 20, 30, 40)

    func testNullIsNowhereAndAddsNothing() {
        XCTAssertTrue(Rect.null.isNull && Rect.null.isEmpty && !Rect.null.isFinite && !Rect.null.isUsable)
        XCTAssertEqual(Rect.null.union(box), box)
        XCTAssertEqual(box.union(.null), box)
        XCTAssertTrue(box.intersection(.null).isNull)
        XCTAssertTrue(Rect.null.union(.null).isNull)
        XCTAssertNil(Rect.null.json)
    }

    func testInfiniteIsEverywhereAndIsNoKnownPlace() {
        XCTAssertTrue(Rect.infinite.isInfinite && !Rect.infinite.isEmpty)
        XCTAssertFalse(Rect.infinite.isFinite, "its numbers are finite, its place is not")
        XCTAssertFalse(Rect.infinite.isUsable)
        XCTAssertEqual(Rect.infinite.intersection(box), box)
        XCTAssertEqual(box.intersection(.infinite), box)
        XCTAssertTrue(box.union(.infinite).isInfinite)
        XCTAssertTrue(Rect(-.infinity, -.infinity, .infinity, .infinity).isInfinite)
        XCTAssertTrue(Rect.infinite.contains(box, tolerance: 0))
        XCTAssertNil(Rect.infinite.json)
    }

    func testEmptyRectanglesHoldNoPointButMayHaveAPlace() {
        for empty in [Rect.zero, Rect(5, 5, 0, 10), Rect(5, 5, 10, 0), Rect(5, 5, -10, 10)] {
            XCTAssertTrue(empty.isEmpty && empty.isFinite && !empty.isUsable, "\(empty)")
            XCTAssertTrue(empty.intersection(box).isNull)
            XCTAssertTrue(empty.intersection(.infinite).isNull)
            XCTAssertEqual(box.union(empty), box)
            XCTAssertEqual(empty.area, 0)
        }
    }

    func testUndefinedNumbersMakeAnEmptyRectangleWithoutAPlace() {
        for rect in [Rect(.nan, 0, 1, 1), Rect(0, .nan, 1, 1), Rect(0, 0, .nan, 1), Rect(0, 0, 1, .nan)] {
            XCTAssertTrue(rect.isEmpty && !rect.isFinite, "\(rect)")
            XCTAssertTrue(box.intersection(rect).isNull)
            XCTAssertEqual(box.union(rect), box)
            XCTAssertFalse(box.contains(rect.center))
        }
        XCTAssertFalse(Rect(1e308, 0, 1e308, 1).isFinite, "an edge that overflows is no place")
    }

    func testTouchingRectanglesHaveNoCommonPart() {
        XCTAssertTrue(box.intersection(Rect(40, 20, 10, 10)).isNull)
        XCTAssertEqual(box.intersection(Rect(39, 59, 10, 10)), Rect(39, 59, 1, 1))
    }

    func testUnionIsTheSmallestRectangleAroundBoth() {
        XCTAssertEqual(box.union(Rect(0, 50, 5, 50)), Rect(0, 20, 40, 80))
    }

    func testInsetsThatLeaveNothingGiveNull() {
        XCTAssertEqual(box.inset(by: 5), Rect(15, 25, 20, 30))
        XCTAssertTrue(box.inset(by: 15).isNull)
        XCTAssertEqual(box.inset(top: 4, bottom: 6), Rect(10, 24, 30, 30))
        XCTAssertTrue(Rect.null.inset(by: -5).isNull)
        XCTAssertTrue(Rect.infinite.inset(by: 5).isInfinite)
    }

    func testHalfOpenMeansThatNeighboursShareNoPoint() {
        XCTAssertTrue(box.containsHalfOpen(Point(10, 20)))
        XCTAssertFalse(box.containsHalfOpen(Point(40, 30)))
        XCTAssertFalse(box.containsHalfOpen(Point(20, 60)))
        XCTAssertTrue(box.contains(Point(40, 60)))
    }
}
