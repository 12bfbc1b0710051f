import XCTest

@testable import RunnerCore

final class GesturePlanTests: XCTestCase {
    struct Sent: Decodable {
        struct Place: Decodable {
            var x: Double
            var y: Double
        }
        struct Frame: Decodable {
            var x: Double
            var y: Double
            var width: Double
            var height: Double
        }
        struct Sample: Decodable {
            var offsetMs: Double
            var point: Place
        }
        struct Pointer: Decodable {
            var pointerId: Int
            var samples: [Sample]
        }
        var topology: String
        var intent: String
        var executionProfile: String?
        var durationMs: Double
        var viewport: Frame
        var pointers: [Pointer]

        var request: Command.GestureRequest {
            Command.GestureRequest(
                topology: topology, intent: intent, executionProfile: executionProfile, durationMs: durationMs,
                viewport: Rect(viewport.x, viewport.y, viewport.width, viewport.height),
                pointers: pointers.map { pointer in
                    .init(
                        id: pointer.pointerId,
                        samples: pointer.samples.map { .init(offsetMs: $0.offsetMs, point: Point($0.point.x, $0.point.y)) })
                })
        }
    }

    private struct Case: Decodable {
        var name: String
        var plan: Sent
        var refused: String?
    }

    private func plans() throws -> [String: Command.GestureRequest] {
        let cases = try Fixture.load("gesture-plan", as: Cases<Case>.self).cases
        return Dictionary(uniqueKeysWithValues: cases.map { ($0.name, $0.plan.request) })
    }

    func testAPlanIsRefusedByFieldBeforeAPointerGoesDown() throws {
        for test in try Fixture.load("gesture-plan", as: Cases<Case>.self).cases {
            do {
                try GesturePlan.check(test.plan.request)
                XCTAssertNil(test.refused, test.name)
            } catch {
                XCTAssertEqual(error.code, .invalidArguments, test.name)
                let field = error.message.split(separator: " ").first.map(String.init)
                XCTAssertEqual(field, test.refused.map { "gesturePlan.\($0)" }, test.name)
            }
        }
    }

    func testNumbersThatAreNoneAreRefused() throws {
        var plan = try XCTUnwrap(plans()["a pan"])
        plan.pointers[0].samples[1].point.x = .nan
        XCTAssertThrowsError(try GesturePlan.check(plan))
        plan = try XCTUnwrap(plans()["a pan"])
        plan.pointers[0].samples[1].offsetMs = .infinity
        XCTAssertThrowsError(try GesturePlan.check(plan))
        plan = try XCTUnwrap(plans()["a pan"])
        plan.viewport = .infinite
        XCTAssertThrowsError(try GesturePlan.check(plan))
    }

    func testTwoPointersAreForIOSAlone() throws {
        let plans = try plans()
        for platform in Platform.allCases {
            XCTAssertNoThrow(try GesturePlan.check(XCTUnwrap(plans["a pan"]), platform: platform))
            do {
                try GesturePlan.check(XCTUnwrap(plans["two pointers"]), platform: platform)
                XCTAssertEqual(platform, .iOS)
            } catch let error as RunnerError {
                XCTAssertNotEqual(platform, .iOS)
                XCTAssertEqual(error.code, .unsupportedOperation)
            }
        }
    }

    func testAPlanMovesByItsProfileOrItsSamples() throws {
        let plans = try plans()
        let fling = try DragProfile.movements(XCTUnwrap(plans["a fling"])).pointers[0]
        XCTAssertEqual(fling.map(\.offset)[1], 0.1, accuracy: 1e-9, "the end is reached in 100 ms")
        XCTAssertEqual(fling.map(\.point), [Point(100, 600), Point(100, 200), Point(100, 200)])
        let pan = try DragProfile.movements(XCTUnwrap(plans["many samples"])).pointers[0]
        XCTAssertEqual(pan.map(\.offset), [0, 0.016, 0.16, 0.3])
        XCTAssertEqual(try DragProfile.movements(XCTUnwrap(plans["two pointers"])).pointers.count, 2)
    }
}

final class SequenceTests: XCTestCase {
    private func step(
        _ kind: Command.SequenceStep.Kind = .tap, _ point: Point = Point(1, 2), durationMs: Double? = nil, pauseMs: Double = 0
    ) -> Command.SequenceStep {
        Command.SequenceStep(kind: kind, point: point, durationMs: durationMs, pauseMs: pauseMs, isSynthesized: false)
    }

    func testASequenceHasOneToTwentyStepsAndAllAreCheckedBeforeTheFirstRuns() {
        let good = step()
        let table: [(String, [Command.SequenceStep], Bool)] = [
            ("none", [], false), ("one", [good], true), ("twenty", Array(repeating: good, count: 20), true),
            ("twenty-one", Array(repeating: good, count: 21), false),
            ("the last one is bad", [good, step(.tap, Point(.nan, 0))], false),
            ("an infinite point", [step(.tap, Point(0, .infinity))], false),
            ("a pause of ten seconds", [step(pauseMs: 10_000)], true), ("a longer pause", [step(pauseMs: 10_001)], false),
            ("a negative pause", [step(pauseMs: -1)], false), ("a pause that is no number", [step(pauseMs: .nan)], false),
            ("a duration that is no number", [step(.longPress, durationMs: .nan)], false),
        ]
        for (name, steps, isGood) in table {
            do {
                try SequencePolicy.check(steps)
                XCTAssertTrue(isGood, name)
            } catch {
                XCTAssertFalse(isGood, name)
                XCTAssertEqual(error.code, .invalidArguments)
            }
        }
    }

    func testALongPressRests800MillisecondsAndNeverMoreThanTenSeconds() {
        for (asked, seconds) in [(nil, 0.8), (1, 0.016), (500, 0.5), (60_000, 10)] as [(Double?, Double)] {
            XCTAssertEqual(SequencePolicy.pressSeconds(step(.longPress, durationMs: asked)), seconds)
        }
    }

    func testTheLastStepIsNotWaitedAfter() {
        let steps = [step(pauseMs: 300), step(pauseMs: 500)]
        XCTAssertEqual(SequencePolicy.pauseSeconds(after: 0, of: steps), 0.3)
        XCTAssertEqual(SequencePolicy.pauseSeconds(after: 1, of: steps), 0)
    }
}
