import XCTest

@testable import RunnerCore

final class ScrollPlanTests: XCTestCase {
    private struct Case: Decodable {
        var name: String
        var surface: [Double]
        var direction: String
        var amount: Double?
        var pixels: Double?
        var keyboard: [Double]?
        var from: [Double]?
        var to: [Double]?
        var distance: Double?
        var refused: String?
    }

    func testAScrollKeepsOffTheEdgesAndTheKeyboard() throws {
        for test in try Fixture.load("scroll-plan", as: Cases<Case>.self).cases {
            let wanted: Command.Scroll.Distance = test.pixels.map { .pixels($0) } ?? .amount(test.amount!)
            do {
                let plan = try ScrollPlan(
                    Command.Direction(rawValue: test.direction)!, wanted, in: Rect(test.surface),
                    keyboard: test.keyboard.map { Rect($0) })
                XCTAssertNil(test.refused, test.name)
                XCTAssertEqual([plan.from.x, plan.from.y], test.from, "\(test.name) from")
                XCTAssertEqual([plan.to.x, plan.to.y], test.to, "\(test.name) to")
                if let distance = test.distance { XCTAssertEqual(plan.distance, distance, test.name) }
            } catch {
                let code = test.refused == "occluded" ? ErrorCode.scrollKeyboardOccludesSurface : .invalidArguments
                XCTAssertEqual(error.code, code, "\(test.name): \(error.message)")
                if code == .invalidArguments { XCTAssertTrue(error.message.contains(test.refused ?? "?"), test.name) }
            }
        }
    }

    func testTheReplySaysWhetherAKeyboardWasAvoidedAndByWhatFrameToReadIt() throws {
        let screen = Rect(0, 0, 400, 800)
        let keyboard = Rect(0, 500, 400, 300)
        let above = try ScrollPlan(.down, .amount(0.5), in: screen, keyboard: keyboard)
        XCTAssertTrue(above.keyboardAvoided)
        XCTAssertEqual(above.keyboardMinY, 500)
        XCTAssertEqual(above.reference, Size(400, 488))
        for column in [0.0, 210] {
            let beside = try ScrollPlan(.down, .amount(0.5), in: screen, keyboard: Rect(column, 500, 190, 300))
            XCTAssertFalse(beside.keyboardAvoided, "not under the finger's column")
            XCTAssertEqual(beside.reference, Size(400, 800))
        }
        XCTAssertNil(try ScrollPlan(.down, .amount(0.5), in: screen).keyboardMinY)
    }

    func testAScrollNeedsAViewportAndFiniteNumbers() {
        for surface in [Rect.zero, .infinite, .null, Rect(0, 0, .nan, 5)] {
            XCTAssertThrowsError(try ScrollPlan(.down, .amount(0.5), in: surface))
        }
        for wanted: Command.Scroll.Distance in [.amount(.nan), .amount(.infinity), .pixels(.infinity), .pixels(-.infinity)] {
            XCTAssertThrowsError(try ScrollPlan(.down, wanted, in: Rect(0, 0, 400, 800)))
        }
    }

    private let (from, to) = (Point(200, 600), Point(200, 200))

    private func speeds(_ movements: PointerMovements) -> [Double] {
        let samples = movements.pointers[0]
        return zip(samples, samples.dropFirst()).map { $0.point.distance(to: $1.point) / ($1.offset - $0.offset) }
    }

    func testAControlledScrollOnlySlowsDownAndEndsAtRest() {
        let movements = DragProfile.controlledScroll(from: from, to: to, durationMs: 400)
        let speeds = speeds(movements)
        XCTAssertEqual(speeds, speeds.sorted(by: >), "it slows down from the start")
        XCTAssertLessThan(speeds.last!, speeds.first! / 100, "nothing is left that content could coast with")
        XCTAssertEqual(movements.pointers[0].first, .init(0, from))
        XCTAssertEqual(movements.pointers[0].last, .init(0.4, to))
        for (durationMs, frames) in [(16.0, 3), (100, 6), (400, 24), (1_000, 30), (10_000, 30)] {
            let made = DragProfile.controlledScroll(from: from, to: to, durationMs: durationMs).pointers[0].count - 1
            XCTAssertEqual(made, frames, "\(durationMs) ms")
        }
    }

    func testAnInertialScrollIsLiftedAtFullSpeed() {
        let speeds = speeds(DragProfile.inertialScroll(from: from, to: to, durationMs: 200))
        XCTAssertEqual(speeds.first!, speeds.last!, accuracy: 1e-6)
    }

    func testAContinuousDragStartsAndEndsSlowly() {
        let movements = DragProfile.continuousDrag(from: from, to: to, durationMs: 320)
        XCTAssertEqual(movements.pointers[0].count, 21)
        let speeds = speeds(movements)
        XCTAssertLessThan(speeds.first!, speeds[10] / 4)
        XCTAssertLessThan(speeds.last!, speeds[10] / 4)
        XCTAssertEqual(movements.pointers[0][10].point, Point(200, 400), "half the way at half the time")
    }

    func testAFastSwipeReachesItsEndIn100MillisecondsAndRests() {
        let samples = DragProfile.fastSwipe(from: from, to: to, holdMs: 200).pointers[0]
        XCTAssertEqual(samples.map(\.point), [from, to, to])
        XCTAssertEqual(samples.map(\.offset)[1], 0.1, accuracy: 1e-9)
        XCTAssertEqual(samples.map(\.offset)[2], 0.3, accuracy: 1e-9)
    }

    func testDurationsAreHeldBetween16And10000Milliseconds() {
        for (asked, made) in [(-5.0, 0.016), (0, 0.016), (50, 0.05), (99_999, 10), (.nan, 0.016), (.infinity, 0.016)] {
            XCTAssertEqual(DragProfile.continuousDrag(from: from, to: to, durationMs: asked).duration, made, accuracy: 1e-9)
        }
        for (durationMs, press) in [(10.0, 0.016), (100, 0.02), (5_000, 0.12)] {
            XCTAssertEqual(DragProfile.fallbackPress(durationMs: durationMs), press, accuracy: 1e-9)
        }
        XCTAssertEqual(DragProfile.tap(at: from).duration, 0.05)
    }

    func testEachGestureHasItsKeyboardAndFallbackPolicy() {
        let table: [(SynthesizedGesture, SynthesizedGesture.KeyboardProbe, SynthesizedGesture.Fallback)] = [
            (.coordinateTap, .never, .xctestCoordinateAllowed),
            (.scroll, .requiredWhenAvailable, .privateSynthesisRequired),
            (.synthesizedDrag, .requiredWhenAvailable, .xctestCoordinateWhenAccessibilityAvailable),
            (.sequenceTap, .requiredWhenAvailable, .xctestCoordinateWhenAccessibilityAvailable),
        ]
        XCTAssertEqual(table.map(\.0), SynthesizedGesture.allCases)
        for (gesture, probe, fallback) in table {
            XCTAssertEqual(gesture.keyboardProbe, probe)
            XCTAssertEqual(gesture.fallback, fallback)
        }
    }

    func testPoliciesFollowTheHealthOfAccessibility() {
        func allowed(_ isAllowed: (AXHealth) -> Bool) -> [Bool] { [.unknown, .healthy, .unavailable].map(isAllowed) }
        XCTAssertEqual(allowed(SynthesizedGesture.KeyboardProbe.never.isAllowed), [false, false, false])
        XCTAssertEqual(allowed(SynthesizedGesture.KeyboardProbe.whenAccessibilityHealthy.isAllowed), [false, true, false])
        XCTAssertEqual(allowed(SynthesizedGesture.KeyboardProbe.requiredWhenAvailable.isAllowed), [true, true, false])
        XCTAssertEqual(allowed(SynthesizedGesture.Fallback.xctestCoordinateAllowed.isAllowed), [true, true, true])
        XCTAssertEqual(
            allowed(SynthesizedGesture.Fallback.xctestCoordinateWhenAccessibilityAvailable.isAllowed), [true, true, false])
        XCTAssertEqual(allowed(SynthesizedGesture.Fallback.privateSynthesisRequired.isAllowed), [false, false, false])
    }
}
