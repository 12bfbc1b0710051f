import Foundation

/// An HTTP server for a few trusted clients: one thread and one request for each connection. A thread that waits for the main
/// thread blocks nobody else, so `status` and `uptime` are answered whatever hangs.
public final class Server: Sendable {
    public enum Interface: Sendable {
        /// 127.0.0.1: simulators and Macs, where the host is the same machine.
        case loopback
        /// Every interface: a device, which the host reaches from outside.
        case any
    }

    public struct Options: Sendable {
        public var interface = Interface.loopback
        /// 0: one that is free.
        public var port: UInt16 = 0
        /// What a client has to present as a bearer token.
        public var token: String?
        /// How long a request may take to come in, in seconds, from the first byte to the last.
        public var receiveDeadline = 10.0
        /// How long the peer may not take any of the response, in seconds.
        public var sendDeadline = 10.0
        public var maxConnections = 64

        public init() {}
    }

    public typealias Handler = @Sendable (HTTPRequest) -> HTTPResponse

    private let listener: Socket
    private let options: Options
    private let handler: Handler
    private let connections = Locked(0)
    public let port: UInt16

    /// Binds; connections queue up from here on.
    ///
    /// - Throws: an error that names the call of the system that failed.
    public init(_ options: Options = Options(), handler: @escaping Handler) throws {
        self.options = options
        self.handler = handler
        listener = try Socket.listening(on: options.interface, port: options.port)
        port = try listener.port()
    }

    /// Starts to answer.
    public func start() {
        Thread.detachNewThread { [self] in
            while let connection = listener.accepted() { admit(connection) }
        }
    }

    /// Takes no further connections. Those that are open get their answers.
    public func stop() { listener.shutDown() }

    /// Waits until all open connections, or all but so many, have their answers.
    public func waitUntilIdle(seconds: Double, but rest: Int = 0) {
        let end = ProcessInfo.processInfo.systemUptime + seconds
        while connections.withLock({ $0 }) > rest, ProcessInfo.processInfo.systemUptime < end { Thread.sleep(forTimeInterval: 0.01) }
    }

    private func admit(_ connection: Socket) {
        let isAdmitted = connections.withLock { count in
            guard count < options.maxConnections else { return false }
            count += 1
            return true
        }
        Thread.detachNewThread { [self] in
            guard isAdmitted else {
                let error = RunnerError(.runnerBusy, "more than \(options.maxConnections) connections are open")
                return finish(connection, HTTPResponse(status: 503, refusing: error), isRead: false)
            }
            defer { connections.withLock { $0 -= 1 } }
            if let (response, isRead) = answer(connection) { finish(connection, response, isRead: isRead) }
        }
    }

    /// The response and whether the whole request was read; nil where nobody is left to read one.
    private func answer(_ connection: Socket) -> (HTTPResponse, isRead: Bool)? {
        let deadline = ProcessInfo.processInfo.systemUptime + options.receiveDeadline
        var parser = HTTPRequestParser()
        while true {
            let remaining = deadline - ProcessInfo.processInfo.systemUptime
            let bytes: [UInt8]
            do {
                bytes = try connection.receive(atMost: 64 * 1024, within: Int(remaining * 1000))
            } catch let error as SocketError where error.code == ETIMEDOUT {
                let error = RunnerError(.invalidArguments, "the request did not come in within its deadline")
                return (HTTPResponse(status: 408, refusing: error), false)
            } catch {
                return nil
            }
            if bytes.isEmpty { return nil }
            switch parser.feed(bytes) {
            case .incomplete: continue
            case .refused(let refusal): return (HTTPResponse(refusal), false)
            case .complete(let request): return (refuse(request) ?? handler(request), true)
            }
        }
    }

    private func refuse(_ request: HTTPRequest) -> HTTPResponse? {
        if let token = options.token, !isSame(request.authorization ?? "", "Bearer " + token) {
            return HTTPResponse(status: 401, refusing: RunnerError(.unauthorized, "the bearer token is missing or wrong"))
        }
        if request.hasOrigin {
            // Any page in a browser of this machine can post to loopback.
            return HTTPResponse(status: 403, refusing: RunnerError(.unauthorized, "pages in a browser are not served"))
        }
        return nil
    }

    private func finish(_ connection: Socket, _ response: HTTPResponse, isRead: Bool) {
        guard (try? connection.send(response.encoded(), within: Int(options.sendDeadline * 1000))) != nil else { return }
        connection.endWriting()
        if isRead { return }
        // Closing with unread bytes resets the connection, and the reset can overtake the response.
        let end = ProcessInfo.processInfo.systemUptime + 1
        var rest = 2 * HTTPRequestParser.limit
        while rest > 0, ProcessInfo.processInfo.systemUptime < end,
            let bytes = try? connection.receive(atMost: 64 * 1024, within: 1000), !bytes.isEmpty
        {
            rest -= bytes.count
        }
    }
}

/// Takes the same time wherever the two differ.
private func isSame(_ left: String, _ right: String) -> Bool {
    let (left, right) = (Array(left.utf8), Array(right.utf8))
    guard left.count == right.count else { return false }
    return zip(left, right).reduce(UInt8(0)) { $0 | ($1.0 ^ $1.1) } == 0
}
