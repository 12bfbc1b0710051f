import XCTest

@testable import RunnerCore

final class RunnerOptionsTests: XCTestCase {
    func testThePortComesFromTheEnvironmentOrAnArgument() throws {
        XCTAssertEqual(try RunnerOptions(environment: [:]).server.port, 0)
        XCTAssertEqual(try RunnerOptions(environment: ["AGENT_DEVICE_RUNNER_PORT": "8123"]).server.port, 8123)
        let arguments = ["xctest", "AGENT_DEVICE_RUNNER_PORT=8124"]
        XCTAssertEqual(try RunnerOptions(environment: [:], arguments: arguments).server.port, 8124)
        XCTAssertThrowsError(try RunnerOptions(environment: ["AGENT_DEVICE_RUNNER_PORT": "70000"])) { error in
            XCTAssertTrue("\(error)".contains("AGENT_DEVICE_RUNNER_PORT"), "\(error)")
        }
    }

    func testADeviceIsReachedFromOutsideOnlyByWhoHasItsToken() throws {
        let token = ["AGENT_DEVICE_RUNNER_TOKEN": "t"]
        XCTAssertEqual(try RunnerOptions(environment: token, isDevice: true).server.interface, .any)
        XCTAssertEqual(try RunnerOptions(environment: [:], isDevice: true).server.interface, .loopback)
        XCTAssertEqual(try RunnerOptions(environment: token).server.interface, .loopback)
    }

    func testSwitchesAreReadAsWords() throws {
        let options = try RunnerOptions(environment: [
            "AGENT_DEVICE_RUNNER_NOOP_STARTUP": "1", "AGENT_DEVICE_RUNNER_DISABLE_READONLY_RETRY": "TRUE",
            "AGENT_DEVICE_RUNNER_TOKEN": "t",
        ])
        XCTAssertTrue(options.isNoop)
        XCTAssertFalse(options.retriesReads)
        XCTAssertEqual(options.server.token, "t")
        let off = try RunnerOptions(environment: ["AGENT_DEVICE_RUNNER_NOOP_STARTUP": "0", "AGENT_DEVICE_RUNNER_TOKEN": ""])
        XCTAssertFalse(off.isNoop)
        XCTAssertTrue(off.retriesReads)
        XCTAssertNil(off.server.token)
    }
}
