import XCTest

@testable import RunnerCore

final class SingleFlightTests: XCTestCase {
    private let time = ManualTime()
    private lazy var queue = ManualMain(time)
    private lazy var flight = SingleFlight(queue: queue, time: time)

    private func call(_ number: Int) -> Int? {
        guard case .done(let answer) = flight.run(seconds: 1, { number }) else { return nil }
        return answer
    }

    func testACallInTimeAnswersAndTheNextOneStarts() {
        queue.delayNext(0.9, 0.9)
        XCTAssertEqual([call(1), call(2)], [1, 2])
    }

    func testACallThatHangsIsGivenUpAfterItsTime() {
        queue.delayNext(nil)
        let start = time.uptime
        XCTAssertNil(call(1))
        XCTAssertEqual(time.uptime - start, 1)
    }

    func testNothingIsStartedWhileACallHangsAndItsReturnFreesTheWay() {
        queue.delayNext(5)
        XCTAssertNil(call(1))
        let started = Locked(false)
        let start = time.uptime
        guard case .blocked = flight.run(seconds: 1, { started.withLock { $0 = true } }) else { return XCTFail() }
        XCTAssertEqual(time.uptime, start, "a blocked call costs no time")
        time.advance(5)
        XCTAssertFalse(started.withLock { $0 }, "and is not made later")
        XCTAssertEqual(call(2), 2)
    }
}
