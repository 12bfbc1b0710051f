import Foundation
import XCTest

@testable import RunnerCore

#if canImport(Darwin)
import Darwin
#else
import Glibc
#endif

/// A client with nothing between it and the socket.
private final class Client {
    private let descriptor: Int32

    init(_ port: UInt16) {
        #if canImport(Darwin)
        descriptor = socket(AF_INET, SOCK_STREAM, 0)
        #else
        descriptor = socket(AF_INET, Int32(SOCK_STREAM.rawValue), 0)
        #endif
        var address = sockaddr_in()
        address.sin_family = sa_family_t(AF_INET)
        address.sin_port = port.bigEndian
        address.sin_addr.s_addr = UInt32(0x7f00_0001).bigEndian
        let connected = withUnsafePointer(to: &address) { pointer in
            pointer.withMemoryRebound(to: sockaddr.self, capacity: 1) { connect(descriptor, $0, socklen_t(MemoryLayout<sockaddr_in>.size)) }
        }
        XCTAssertEqual(connected, 0)
    }

    deinit { close(descriptor) }

    func send(_ bytes: [UInt8]) {
        var rest = bytes[...]
        while !rest.isEmpty {
            let sent = rest.withUnsafeBytes { write(descriptor, $0.baseAddress, $0.count) }
            guard sent > 0 else { return }
            rest = rest.dropFirst(sent)
        }
    }

    func send(_ text: String) { send(Array(text.utf8)) }

    /// Whether something has come.
    var hasResponse: Bool {
        var wanted = pollfd(fd: descriptor, events: Int16(POLLIN), revents: 0)
        return poll(&wanted, 1, 0) == 1
    }

    /// All that comes until the other side ends.
    func response() -> String {
        var all: [UInt8] = []
        var part = [UInt8](repeating: 0, count: 65536)
        while true {
            let count = read(descriptor, &part, part.count)
            if count <= 0 { return String(decoding: all, as: UTF8.self) }
            all += part[..<count]
        }
    }
}

final class ServerTests: XCTestCase {
    private func serve(
        _ change: (inout Server.Options) -> Void = { _ in }, handler: @escaping Server.Handler = { HTTPResponse(status: 200, body: $0.body) }
    ) throws -> Server {
        var options = Server.Options()
        options.receiveDeadline = 5
        change(&options)
        let server = try Server(options, handler: handler)
        server.start()
        return server
    }

    private func ask(_ server: Server, _ text: String) -> String {
        let client = Client(server.port)
        client.send(text)
        return client.response()
    }

    private func wait(until condition: () -> Bool) throws {
        let end = Date(timeIntervalSinceNow: 20)
        while !condition() {
            if Date() > end { throw SocketError("wait") }
            Thread.sleep(forTimeInterval: 0.01)
        }
    }

    private func post(_ body: String, _ headers: String = "") -> String {
        "POST /command HTTP/1.1\r\nContent-Length: \(body.utf8.count)\r\n\(headers)\r\n\(body)"
    }

    func testAResponseSaysItsLengthAndEndsTheConnection() throws {
        let server = try serve()
        XCTAssertEqual(
            ask(server, post("{}")),
            "HTTP/1.1 200 OK\r\nContent-Type: application/json\r\nContent-Length: 2\r\nConnection: close\r\n\r\n{}")
        server.stop()
    }

    func testATooLargeRequestIsAnsweredAndTheServerLivesOn() throws {
        let server = try serve()
        let client = Client(server.port)
        client.send("POST / HTTP/1.1\r\nContent-Length: 4000000\r\n\r\n")
        client.send([UInt8](repeating: 0x61, count: 4_000_000))
        let response = client.response()
        XCTAssertTrue(response.hasPrefix("HTTP/1.1 413"), String(response.prefix(80)))
        XCTAssertTrue(response.contains("INVALID_ARGS"))
        XCTAssertTrue(ask(server, post("{}")).hasPrefix("HTTP/1.1 200"))
        server.stop()
    }

    func testAMissingLengthIs411AndAPieceOfARequestIs408() throws {
        let server = try serve { $0.receiveDeadline = 0.2 }
        XCTAssertTrue(ask(server, "POST / HTTP/1.1\r\n\r\n").hasPrefix("HTTP/1.1 411"))
        XCTAssertTrue(ask(server, "POST / HTTP/1.1\r\nContent-Length: 10\r\n\r\nabc").hasPrefix("HTTP/1.1 408"))
        server.stop()
    }

    func testADripOfBytesDoesNotExtendTheDeadline() throws {
        let server = try serve { $0.receiveDeadline = 0.3 }
        let client = Client(server.port)
        client.send("POST / HTTP/1.1\r\nContent-Length: 1000\r\n\r\n")
        for _ in 0..<20 {
            client.send("a")
            Thread.sleep(forTimeInterval: 0.05)
        }
        XCTAssertTrue(client.hasResponse, "it came between the drips")
        XCTAssertTrue(client.response().hasPrefix("HTTP/1.1 408"))
        server.stop()
    }

    func testTheTokenIsAskedForAndPagesAreTurnedAway() throws {
        let server = try serve { $0.token = "secret" }
        XCTAssertTrue(ask(server, post("{}")).hasPrefix("HTTP/1.1 401"))
        XCTAssertTrue(ask(server, post("{}", "Authorization: Bearer secrex\r\n")).hasPrefix("HTTP/1.1 401"))
        XCTAssertTrue(ask(server, post("{}", "authorization: Bearer secret\r\n")).hasPrefix("HTTP/1.1 200"))
        let origin = "Authorization: Bearer secret\r\nOrigin: http://evil.example\r\n"
        XCTAssertTrue(ask(server, post("{}", origin)).hasPrefix("HTTP/1.1 403"))
        server.stop()
    }

    func testOneThatWaitsBlocksNobodyAndTooManyAreRefusedWithoutBeingRun() throws {
        let release = DispatchSemaphore(value: 0)
        let count = Locked(0)
        let server = try serve { $0.maxConnections = 2 } handler: { request in
            count.withLock { $0 += 1 }
            if request.path == "/wait" { release.wait() }
            return HTTPResponse(status: 200, body: [])
        }
        let waiting = Client(server.port)
        waiting.send("POST /wait HTTP/1.1\r\nContent-Length: 0\r\n\r\n")
        try wait(until: { count.withLock { $0 } == 1 })
        XCTAssertTrue(ask(server, post("{}")).hasPrefix("HTTP/1.1 200"))
        server.waitUntilIdle(seconds: 10, but: 1)
        let second = Client(server.port)
        second.send("POST /wait HTTP/1.1\r\nContent-Length: 0\r\n\r\n")
        try wait(until: { count.withLock { $0 } == 3 })
        let refused = ask(server, post("{}"))
        XCTAssertTrue(refused.hasPrefix("HTTP/1.1 503") && refused.contains("RUNNER_BUSY"), refused)
        XCTAssertEqual(count.withLock { $0 }, 3)
        release.signal()
        release.signal()
        XCTAssertTrue(waiting.response().hasPrefix("HTTP/1.1 200"))
        server.stop()
    }

    func testAClientThatLeavesEndsNothing() throws {
        let server = try serve()
        for text in ["", "POST", post("{}")] {
            let client = Client(server.port)
            client.send(text)
        }
        XCTAssertTrue(ask(server, post("{}")).hasPrefix("HTTP/1.1 200"))
        server.stop()
    }

    func testAPortThatIsTakenIsSaid() throws {
        let server = try serve()
        XCTAssertThrowsError(try serve { $0.port = server.port }) { error in
            XCTAssertTrue("\(error)".hasPrefix("bind: "), "\(error)")
        }
        server.stop()
    }

    func testEveryInterfaceServesLoopbackToo() throws {
        let server = try serve { $0.interface = .any }
        XCTAssertTrue(ask(server, post("{}")).hasPrefix("HTTP/1.1 200"))
        server.stop()
    }
}
