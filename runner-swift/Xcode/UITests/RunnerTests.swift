import Foundation
import RunnerCore
import XCTest

/// The test that never ends by itself: hosts run `AgentDeviceRunnerUITests/RunnerTests/testCommand` and send it commands.
final class RunnerTests: XCTestCase {
    private static let longest = 24.0 * 3600
    private let recorder = Recorder()

    override func setUp() {
        super.setUp()
        // A recorded failure is an answer of its own, not the end.
        continueAfterFailure = true
    }

    func testCommand() throws {
        let process = ProcessInfo.processInfo
        let options = try RunnerOptions(
            environment: process.environment, arguments: process.arguments, isDevice: Platform.isDevice)
        if options.isNoop { return }
        let (time, markers) = (SystemTime(), Markers.standardError)
        recorder.begin(self, markers: markers)
        let session = Session(
            handler: CommandHandlers(
                .xctest(recorder: recorder, time: time), time: time, failures: recorder, injection: Self.injection,
                homePressGap: Self.homePressGap(process.environment)),
            gate: MainThreadGate(executor: MainQueue(), time: time, markers: markers), time: time, failures: recorder,
            markers: markers, retriesReads: options.retriesReads)
        let runner = try Runner(options, session: session, markers: markers)
        let end = expectation(description: "shutdown")
        Thread.detachNewThread {
            runner.runUntilShutdown()
            end.fulfill()
        }
        wait(for: [end], timeout: Self.longest)
    }

    override func record(_ issue: XCTIssue) {
        if recorder.takes(issue.compactDescription) { super.record(issue) }
    }

    private static var injection: (any FailureInjection)? {
        #if AGENT_DEVICE_RUNNER_UNIT_TESTS
            FileFailureInjection()
        #else
            nil
        #endif
    }

    /// Between two presses of the home button, in seconds; at most one.
    private static func homePressGap(_ environment: [String: String]) -> Double {
        let milliseconds = environment["AGENT_DEVICE_TV_REMOTE_DOUBLE_PRESS_DELAY_MS"].flatMap(Double.init) ?? 0
        return min(max(milliseconds, 0), 1000) / 1000
    }
}

/// Counts what XCTest records, and keeps from it what would end the runner without saying anything new.
final class Recorder: FailureCounter, @unchecked Sendable {
    private let counted = Locked((failures: 0, isProbing: false))
    /// Main thread alone.
    private weak var test: XCTestCase?
    private var markers: Markers?

    func begin(_ test: XCTestCase, markers: Markers) {
        self.test = test
        self.markers = markers
    }

    var failures: Int { counted.withLock { $0.failures } }

    func record(_ issue: String) {
        onMain { test?.record(XCTIssue(type: .assertionFailure, compactDescription: issue)) }
    }

    /// Whether XCTest may record it.
    func takes(_ text: String) -> Bool {
        if counted.withLock({ $0.isProbing }) { return false }
        if RecordedIssue.isSuppressed(text) {
            markers?.write("AX_SNAPSHOT_ISSUE_SUPPRESSED")
            return false
        }
        counted.withLock { $0.failures += 1 }
        return true
    }

    /// A look that nobody relies on: what it records says nothing about the command. On the main thread, where XCTest records.
    func probing<Value>(_ look: () throws -> Value) rethrows -> Value {
        counted.withLock { $0.isProbing = true }
        defer { counted.withLock { $0.isProbing = false } }
        return try look()
    }
}

extension Drivers {
    /// The device that this process runs on.
    static func xctest(recorder: Recorder, time: any TimeSource) -> Drivers {
        let apps = Apps()
        return Drivers(
            platform: .current, target: apps, elements: Elements(apps: apps), gestures: Gestures(apps: apps),
            text: Typing(apps: apps, recorder: recorder), keyboard: Keyboards(apps: apps), alerts: Alerts(apps: apps),
            screen: Screens(apps: apps, time: time), snapshots: Snapshots(apps: apps, time: time))
    }
}

extension Platform {
    /// Whether this is neither a Mac nor a part of one.
    static var isDevice: Bool {
        #if targetEnvironment(simulator) || os(macOS) || CHECK_MACOS
            false
        #else
            true
        #endif
    }

    static var current: Platform {
        #if os(tvOS) || CHECK_TVOS
            .tvOS
        #elseif os(macOS) || CHECK_MACOS
            .macOS
        #elseif os(visionOS)
            .visionOS
        #else
            .iOS
        #endif
    }
}
