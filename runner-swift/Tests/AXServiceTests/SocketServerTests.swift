import AXService
import Foundation
import XCTest

/// The server on a real socket.
final class SocketServerTests: XCTestCase {
    private var folder = ""

    override func setUpWithError() throws {
        folder = NSTemporaryDirectory() + "ax-\(UUID().uuidString.prefix(8))"
        try FileManager.default.createDirectory(atPath: folder, withIntermediateDirectories: true)
    }

    override func tearDown() {
        try? FileManager.default.removeItem(atPath: folder)
    }

    private func options(_ path: String? = nil, idle: Int = 30, exit: Bool = false) -> ServeOptions {
        var options = ServeOptions(socket: path ?? folder + "/s")
        options.idleSeconds = idle
        options.exitOnDisconnect = exit
        return options
    }

    /// Runs the server on a thread of its own; the box holds how it ended.
    private func start(_ options: ServeOptions) throws -> Ended {
        let server = try SocketServer(options)
        let ended = Ended()
        Thread.detachNewThread {
            let service = Service(ScriptedApp(ScriptedApp.chain(3)))
            ended.set(server.run { message, connection in connection.send(Frame.encode(service.reply(to: message))) })
        }
        return ended
    }

    func testOnlyTheUserCanOpenTheSocket() throws {
        _ = try start(options())
        var status = stat()
        XCTAssertEqual(lstat(folder + "/s", &status), 0)
        XCTAssertEqual(status.st_mode & S_IFMT, S_IFSOCK)
        XCTAssertEqual(status.st_mode & 0o777, 0o600)
    }

    func testRequestsFollowEachOtherOnOneConnection() throws {
        _ = try start(options())
        let client = try Client(folder + "/s")
        for id in ["a", "b"] {
            client.send(Frame.encode(request(["requestId": id])))
            XCTAssertEqual(decoded(client.receive() ?? [])["requestId"] as? String, id)
        }
    }

    func testTheNextClientIsServedAfterTheFirstHasGone() throws {
        _ = try start(options())
        for _ in 0..<3 {
            let client = try Client(folder + "/s")
            client.send(Frame.encode(request()))
            XCTAssertEqual(decoded(client.receive() ?? [])["ok"] as? Bool, true)
        }
    }

    func testAnAbsurdLengthIsAnsweredAndEndsTheConnection() throws {
        _ = try start(options())
        let client = try Client(folder + "/s")
        client.send([0xff, 0, 0, 0])
        XCTAssertEqual(decoded(client.receive() ?? [])["error_code"] as? String, "bounds-invalid")
        XCTAssertNil(client.receive())
    }

    func testAnIdleServerEndsAndTakesItsSocketAway() throws {
        let ended = try start(options(idle: 1))
        XCTAssertEqual(ended.wait(), .idle)
        XCTAssertFalse(FileManager.default.fileExists(atPath: folder + "/s"))
    }

    func testAClientThatSaysNothingIsIdle() throws {
        let ended = try start(options(idle: 1))
        let client = try Client(folder + "/s")
        client.send([0, 0])
        XCTAssertEqual(ended.wait(), .idle)
    }

    func testTheServerCanEndWithItsClient() throws {
        let ended = try start(options(exit: true))
        do { _ = try Client(folder + "/s") }
        XCTAssertEqual(ended.wait(), .disconnected)
    }

    func testOnlyASocketGivesWay() throws {
        let path = folder + "/s"
        do { _ = try SocketServer(options()) }
        XCTAssertNoThrow(try SocketServer(options()), "a socket that was left behind")
        unlink(path)
        try Data("precious".utf8).write(to: URL(fileURLWithPath: path))
        XCTAssertThrowsError(try SocketServer(options()))
        XCTAssertEqual(try String(contentsOfFile: path, encoding: .utf8), "precious")
    }

    func testAPathThatNoSocketCanHaveIsRefused() {
        for path in [folder + "/" + String(repeating: "x", count: 108), ""] {
            XCTAssertThrowsError(try SocketServer(options(path))) { XCTAssertTrue("\($0)".contains("bytes"), "\($0)") }
        }
    }

    func testTheWatchdogFiresUnlessItIsStopped() {
        let fired = expectation(description: "fires")
        let dog = Watchdog(milliseconds: 20) { fired.fulfill() }
        wait(for: [fired], timeout: 5)
        dog.stop()
        let silent = expectation(description: "does not fire")
        silent.isInverted = true
        let stopped = Watchdog(milliseconds: 50) { silent.fulfill() }
        stopped.stop()
        wait(for: [silent], timeout: 0.3)
    }

    func testArgumentsAreChecked() throws {
        let whole = try ServeOptions.parse(["serve", "/s", "--idle-timeout", "5", "--exit-on-disconnect", "true"])
        XCTAssertEqual(whole, options("/s", idle: 5, exit: true))
        XCTAssertEqual(try ServeOptions.parse(["serve", "/s"]), options("/s", idle: 60))
        for wrong in [
            [], ["serve"], ["run", "/s"], ["serve", "--idle-timeout"], ["serve", "/s", "--idle-timeout"],
            ["serve", "/s", "--idle-timeout", "0"], ["serve", "/s", "--exit-on-disconnect", "1"], ["serve", "/s", "--port", "1"],
        ] {
            XCTAssertThrowsError(try ServeOptions.parse(wrong), wrong.joined(separator: " "))
        }
    }
}

private final class Ended: @unchecked Sendable {
    private let condition = NSCondition()
    private var end: SocketServer.End?

    func set(_ end: SocketServer.End) {
        condition.lock()
        self.end = end
        condition.broadcast()
        condition.unlock()
    }

    func wait() -> SocketServer.End? {
        condition.lock()
        defer { condition.unlock() }
        let limit = Date(timeIntervalSinceNow: 10)
        while end == nil, condition.wait(until: limit) {}
        return end
    }
}

/// A plain blocking client.
private final class Client {
    private let handle: FileHandle

    init(_ path: String) throws {
        var address = sockaddr_un()
        address.sun_family = sa_family_t(AF_UNIX)
        withUnsafeMutableBytes(of: &address.sun_path) { $0.copyBytes(from: Array(path.utf8)) }
        #if canImport(Glibc)
        let socket = socket(AF_UNIX, Int32(SOCK_STREAM.rawValue), 0)
        #else
        let socket = socket(AF_UNIX, SOCK_STREAM, 0)
        #endif
        handle = FileHandle(fileDescriptor: socket, closeOnDealloc: true)
        let size = socklen_t(MemoryLayout<sockaddr_un>.size)
        let connected = withUnsafePointer(to: &address) {
            $0.withMemoryRebound(to: sockaddr.self, capacity: 1) { connect(socket, $0, size) }
        }
        guard connected == 0 else { throw POSIXError(.ECONNREFUSED) }
    }

    func send(_ bytes: [UInt8]) {
        handle.write(Data(bytes))
    }

    func receive() -> [UInt8]? {
        var reader = FrameReader()
        while true {
            if let body = try? reader.next() { return body }
            let bytes = handle.availableData
            if bytes.isEmpty { return nil }
            reader.append(bytes)
        }
    }
}
