import XCTest

@testable import RunnerCore

final class MainThreadGateTests: XCTestCase {
    private let time = ManualTime()
    private lazy var main = ManualMain(time)
    private let lines = Lines()
    private lazy var gate = MainThreadGate(executor: main, time: time, markers: lines.markers)

    private func code(_ body: () throws -> Void) -> ErrorCode? {
        do {
            try body()
            return nil
        } catch {
            return (error as? RunnerError)?.code
        }
    }

    func testWorkInTimeAnswersAndLeavesNothingBehind() throws {
        main.delayNext(29.9)
        XCTAssertEqual(try gate.run("tap") { 7 }, 7)
        XCTAssertFalse(gate.isBusy)
        XCTAssertNil(gate.refusal())
        XCTAssertEqual(lines.all, [])
    }

    func testWorkThatThrowsPassesItsErrorOn() {
        XCTAssertEqual(code { try gate.run("tap") { throw RunnerError(.elementNotFound, "") } }, .elementNotFound)
        XCTAssertFalse(gate.isBusy)
    }

    func testWorkThatOverrunsItsBudgetIsAbandonedAtItsDeadline() {
        main.delayNext(40)
        let start = time.uptime
        XCTAssertEqual(code { try gate.run("tap", budget: 30) {} }, .mainThreadTimeout)
        XCTAssertEqual(time.uptime - start, 30, "it waited for the budget and no longer")
        XCTAssertTrue(gate.isBusy)
        XCTAssertEqual(gate.refusal()?.code, .runnerBusy)
        time.advance(10)
        XCTAssertFalse(gate.isBusy, "the late work has drained")
        XCTAssertNil(gate.refusal())
        XCTAssertEqual(lines.all, [
            "AGENT_DEVICE_RUNNER_MAIN_THREAD_WORK_ABANDONED=tap", "AGENT_DEVICE_RUNNER_MAIN_THREAD_WORK_DRAINED=tap",
            "AGENT_DEVICE_RUNNER_ABANDONED_WORK_DRAINED",
        ])
    }

    func testWorkThatNeverDrainsIsWedgedAfterTwoMinutes() {
        main.delayNext(nil)
        _ = code { try gate.run("snapshot", budget: 8) {} }
        time.advance(120)
        XCTAssertEqual(gate.refusal()?.code, .runnerBusy, "at 120 s it may still drain")
        time.advance(0.1)
        XCTAssertEqual(gate.refusal()?.code, .runnerWedged)
    }

    func testTheAgeIsThatOfTheFirstWork() {
        main.delayNext(nil, nil)
        _ = code { try gate.run("a", budget: 10) {} }
        time.advance(100)
        _ = code { try gate.run("b", budget: 10) {} }
        time.advance(11)
        XCTAssertEqual(gate.refusal()?.code, .runnerWedged)
    }

    func testTheAgeStartsAfreshWhenAllHasDrained() {
        main.delayNext(100, 119)
        _ = code { try gate.run("a", budget: 10) {} }
        _ = code { try gate.run("b", budget: 10) {} }
        time.advance(90)
        XCTAssertTrue(gate.isBusy, "one of two has drained")
        time.advance(20)
        XCTAssertEqual(gate.refusal()?.code, nil)
        main.delayNext(nil)
        _ = code { try gate.run("c", budget: 10) {} }
        time.advance(119)
        XCTAssertEqual(gate.refusal()?.code, .runnerBusy, "the age of what has drained does not count")
    }

    func testAResultAtTheVeryDeadlineIsATimeoutAndNotCounted() {
        // The work ends between the end of the wait and the moment at which it would be counted.
        final class LateWait: TimeSource {
            let time: ManualTime
            let before: @Sendable () -> Void
            init(_ time: ManualTime, before: @escaping @Sendable () -> Void) { (self.time, self.before) = (time, before) }
            var uptime: Double { time.uptime }
            func wait(for latch: Latch, until deadline: Double) -> Bool {
                before()
                return false
            }
        }
        final class Held: WorkQueue {
            let work = Locked([@Sendable () -> Void]())
            func submit(_ work: @escaping @Sendable () -> Void) { self.work.withLock { $0.append(work) } }
        }
        let held = Held()
        let late = LateWait(time) { held.work.withLock { $0 }.forEach { $0() } }
        let gate = MainThreadGate(executor: held, time: late, markers: lines.markers)
        XCTAssertEqual(code { try gate.run("tap") {} }, .mainThreadTimeout)
        XCTAssertFalse(gate.isBusy)
        XCTAssertEqual(lines.all, [])
    }
}
