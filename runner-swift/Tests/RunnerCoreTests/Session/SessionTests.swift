import XCTest

@testable import RunnerCore

/// A handler that does what a test says, and a list of what it was asked for.
private final class Handler: CommandHandling {
    typealias Run = @Sendable (CommandName) throws -> ReplyData
    let run: Locked<Run>
    let calls = Locked([String]())

    init(_ run: @escaping Run = { _ in ReplyData(message: "done") }) { self.run = Locked(run) }

    func prepareTarget(for request: Request, _ command: Command) throws -> Double {
        calls.withLock { $0.append("prepare \(request.name)") }
        return 0
    }

    func run(_ command: Command, _ request: Request, _ context: CommandContext) throws -> ReplyData {
        calls.withLock { $0.append("run \(request.name)") }
        return try run.withLock { $0 }(request.name)
    }

    func invalidateTarget() { calls.withLock { $0.append("invalidate") } }
}

private final class Failures: FailureCounter {
    let count = Locked(0)
    var failures: Int { count.withLock { $0 } }
    func record(_ issue: String) { count.withLock { $0 += 1 } }
}

/// A session over a scripted handler, on manual time.
private final class Bench: Sendable {
    let time = ManualTime()
    let main: ManualMain
    let failures = Failures()
    let gate: MainThreadGate
    let session: Session

    init(_ handler: (ManualTime) -> any CommandHandling) {
        main = ManualMain(time)
        gate = MainThreadGate(executor: main, time: time, markers: Lines().markers)
        session = Session(handler: handler(time), gate: gate, time: time, failures: failures, markers: Lines().markers)
    }

    @discardableResult
    func send(_ json: String) -> (status: Int, body: String) {
        let request = HTTPRequest(method: "POST", path: "/command", query: "", hasOrigin: false, body: Array(json.utf8))
        let response = session.answer(request)
        return (response.status, String(decoding: response.body, as: UTF8.self))
    }
}

final class SessionTests: XCTestCase {
    private let handler = Handler()
    private lazy var bench = Bench { [handler] _ in handler }
    private var time: ManualTime { bench.time }
    private var main: ManualMain { bench.main }

    @discardableResult
    private func send(_ json: String) -> (status: Int, body: String) { bench.send(json) }

    private var calls: [String] { handler.calls.withLock { $0 } }
    private let tap = #"{"command":"tap","x":1,"y":2,"commandId":"a"}"#

    func testASuccessIsStampedWhenItIsSentAndAFailureNever() {
        XCTAssertEqual(
            send(tap).body,
            #"{"ok":true,"data":{"message":"done","currentUptimeMs":1000000,"runnerMainThreadBusy":false}}"#)
        time.advance(5)
        XCTAssertTrue(send(tap).body.contains(#""currentUptimeMs":1005000"#), "a recovered reply is stamped anew")
        XCTAssertFalse(send(#"{"command":"status","statusCommandId":"a"}"#).body.contains(#"\"currentUptimeMs"#))
        handler.run.withLock { $0 = { _ in throw RunnerError(.elementNotFound, "no") } }
        XCTAssertEqual(
            send(#"{"command":"tap","x":1,"y":2}"#).body, #"{"ok":false,"error":{"code":"ELEMENT_NOT_FOUND","message":"no"}}"#)
    }

    func testACommandThatIsSentTwiceRunsOnce() {
        send(tap)
        send(tap)
        XCTAssertEqual(calls, ["prepare tap", "run tap"])
    }

    func testTwoSendsOfOneIdInFlightGetTheSameBytes() {
        let started = DispatchSemaphore(value: 0)
        let release = DispatchSemaphore(value: 0)
        handler.run.withLock { $0 = { _ in
            started.signal()
            release.wait()
            return ReplyData(message: "once")
        } }
        let bodies = Locked([String]())
        let group = DispatchGroup()
        for _ in 0..<2 {
            group.enter()
            Thread.detachNewThread { [bench, tap] in
                let body = bench.send(tap).body
                bodies.withLock { $0.append(body) }
                group.leave()
            }
        }
        started.wait()
        Thread.sleep(forTimeInterval: 0.05)
        release.signal()
        group.wait()
        XCTAssertEqual(Set(bodies.withLock { $0 }).count, 1)
        XCTAssertEqual(calls, ["prepare tap", "run tap"])
    }

    func testUptimeAndStatusAreAnsweredWhileACommandRuns() {
        let started = DispatchSemaphore(value: 0)
        let release = DispatchSemaphore(value: 0)
        handler.run.withLock { $0 = { _ in
            started.signal()
            release.wait()
            return ReplyData()
        } }
        let done = DispatchSemaphore(value: 0)
        Thread.detachNewThread { [bench, tap] in
            bench.send(tap)
            done.signal()
        }
        started.wait()
        XCTAssertTrue(send(#"{"command":"uptime"}"#).body.contains("currentUptimeMs"))
        XCTAssertTrue(send(#"{"command":"status","statusCommandId":"a"}"#).body.contains(#""lifecycleState":"started""#))
        release.signal()
        done.wait()
    }

    func testWhileAbandonedWorkRunsCommandsAreRefusedWithoutBeingRun() {
        main.delayNext(0, 1000)
        XCTAssertEqual(send(tap).status, 500)
        handler.calls.withLock { $0 = [] }
        let refused = send(#"{"command":"tap","x":1,"y":2,"commandId":"b"}"#)
        XCTAssertEqual(refused.status, 200)
        XCTAssertTrue(refused.body.contains("RUNNER_BUSY"), refused.body)
        XCTAssertEqual(calls, [])
        let status = send(#"{"command":"status","statusCommandId":"b"}"#).body
        XCTAssertTrue(status.contains(#""lifecycleState":"failed""#) && status.contains(#""lifecycleErrorCode":"RUNNER_BUSY""#), status)
        XCTAssertTrue(status.contains(#""runnerMainThreadBusy":true"#), status)
        time.advance(121)
        XCTAssertTrue(send(#"{"command":"tap","x":1,"y":2}"#).body.contains("RUNNER_WEDGED"))
        XCTAssertTrue(send(#"{"command":"shutdown"}"#).body.contains("shutdown"), "a wedged runner can be told to end")
        XCTAssertTrue(bench.session.end.isOpen)
    }

    func testAFailureThatWasRecordedBesideAnActionReplacesItsReply() {
        let failures = bench.failures
        handler.run.withLock { $0 = { _ in
            failures.record("")
            return ReplyData(message: "tapped")
        } }
        XCTAssertTrue(send(tap).body.contains("XCTEST_RECORDED_FAILURE"))
        XCTAssertEqual(calls.last, "invalidate")
        XCTAssertTrue(send(#"{"command":"findText","text":"x"}"#).body.contains(#""ok":true"#), "a read stands")
        XCTAssertTrue(send(#"{"command":"targetReset"}"#).body.contains(#""ok":true"#), "the life of the app is no action")
        handler.run.withLock { $0 = { _ in
            failures.record("")
            var data = ReplyData()
            data.runnerFatalReason = "ax_snapshot_unavailable"
            return data
        } }
        XCTAssertTrue(send(#"{"command":"tap","x":1,"y":2}"#).body.contains("runnerFatal"), "the stronger verdict stands")
        handler.run.withLock { $0 = { _ in
            failures.record("")
            throw RunnerError(.elementNotFound, "no")
        } }
        XCTAssertTrue(send(#"{"command":"tap","x":1,"y":2}"#).body.contains("ELEMENT_NOT_FOUND"))
    }

    func testAReadIsTriedOnceMoreWithAFreshTargetAndAnActionNever() {
        handler.run.withLock { $0 = { _ in throw RunnerError(.commandFailed, "kAXErrorServerNotFound") } }
        let start = time.uptime
        send(#"{"command":"findText","text":"x"}"#)
        XCTAssertEqual(calls, ["prepare findText", "run findText", "invalidate", "prepare findText", "run findText", "invalidate"])
        XCTAssertEqual(time.uptime - start, 0.2, accuracy: 0.001)
        handler.calls.withLock { $0 = [] }
        XCTAssertEqual(send(tap).status, 500)
        XCTAssertEqual(calls, ["prepare tap", "run tap", "invalidate"])
    }

    func testACommandIsNotRunBeforeTheTargetHasSettled() {
        final class Settling: CommandHandling {
            let time: ManualTime
            let ranAt: Locked<Double>
            init(_ time: ManualTime, _ ranAt: Locked<Double>) { (self.time, self.ranAt) = (time, ranAt) }
            func prepareTarget(for request: Request, _ command: Command) throws -> Double { 1000.25 }
            func run(_ command: Command, _ request: Request, _ context: CommandContext) throws -> ReplyData {
                ranAt.withLock { $0 = time.uptime }
                return ReplyData()
            }
            func invalidateTarget() {}
        }
        let ranAt = Locked(0.0)
        Bench { Settling($0, ranAt) }.send(tap)
        XCTAssertEqual(ranAt.withLock { $0 }, 1000.25)
    }

    func testLifecycleCommandsPrepareNoTarget() {
        send(#"{"command":"targetReset"}"#)
        send(#"{"command":"terminate","appBundleId":"a.b"}"#)
        XCTAssertEqual(calls, ["run targetReset", "run terminate"])
    }

    func testOnlyPostsAreCommands() {
        let request = HTTPRequest(method: "GET", path: "/command", query: "", hasOrigin: false, body: [])
        XCTAssertEqual(bench.session.answer(request).status, 405)
    }

    func testACommandWhoseArgumentsAreRefusedIsRememberedAsNotRun() {
        XCTAssertEqual(send(#"{"command":"tap","x":"1","y":2,"commandId":"c"}"#).status, 400)
        XCTAssertEqual(calls, [])
        XCTAssertTrue(send(#"{"command":"status","statusCommandId":"c"}"#).body.contains(#""lifecycleErrorCode":"INVALID_ARGS""#))
    }
}
