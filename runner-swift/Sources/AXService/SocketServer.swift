import Foundation

/// Serves one client after the other on a Unix socket that only this user can open.
///
/// One at a time, on purpose: requests to one accessibility server would wait for each other anyway, and a request that hangs
/// takes the process with it.
public struct SocketServer: Sendable {
    public struct Failed: Error, CustomStringConvertible {
        public let description: String

        init(_ what: String) {
            description = "\(what): \(String(cString: strerror(errno)))"
        }

        init(because description: String) {
            self.description = description
        }
    }

    /// Why serving came to its end.
    public enum End: Equatable, Sendable {
        case idle
        case disconnected
    }

    private let options: ServeOptions
    private let listener: Int32

    /// Binds the socket. A socket that an earlier process left behind gives way; anything else that lies there doesn't.
    public init(_ options: ServeOptions) throws(Failed) {
        self.options = options
        signal(SIGPIPE, SIG_IGN)
        var address = sockaddr_un()
        address.sun_family = sa_family_t(AF_UNIX)
        let room = MemoryLayout.size(ofValue: address.sun_path)
        let path = Array(options.socket.utf8)
        guard path.count < room, !path.isEmpty, !path.contains(0) else {
            throw Failed(because: "the path of the socket must have 1 to \(room - 1) bytes, not \(path.count)")
        }
        withUnsafeMutableBytes(of: &address.sun_path) { $0.copyBytes(from: path) }
        var present = stat()
        if lstat(options.socket, &present) == 0 {
            guard present.st_mode & S_IFMT == S_IFSOCK else {
                throw Failed(because: "\(options.socket) is there and is no socket")
            }
            unlink(options.socket)
        }
        listener = socket(AF_UNIX, Self.stream, 0)
        guard listener >= 0 else { throw Failed("socket") }
        // Before the bind, so that there is no moment in which others could connect.
        let mask = umask(0o177)
        defer { umask(mask) }
        let size = socklen_t(MemoryLayout<sockaddr_un>.size)
        let bound = withUnsafePointer(to: &address) {
            $0.withMemoryRebound(to: sockaddr.self, capacity: 1) { bind(listener, $0, size) }
        }
        guard bound == 0 else { throw Failed("bind \(options.socket)") }
        guard listen(listener, 4) == 0 else { throw Failed("listen") }
    }

    /// Hands every message to `answer` until the time without one is over. `answer` says whether the connection stays.
    public func run(_ answer: (_ message: [UInt8], _ connection: Connection) -> Bool) -> End {
        defer {
            close(listener)
            unlink(options.socket)
        }
        while isReadable(listener) {
            let client = accept(listener, nil, nil)
            guard client >= 0 else { continue }
            let idle = serve(Connection(client), answer)
            close(client)
            if idle { return .idle }
            if options.exitOnDisconnect { return .disconnected }
        }
        return .idle
    }

    /// Serves one client until it goes (`false`) or says nothing for too long (`true`).
    private func serve(_ connection: Connection, _ answer: ([UInt8], Connection) -> Bool) -> Bool {
        var reader = FrameReader()
        while true {
            do {
                while let message = try reader.next() {
                    guard answer(message, connection) else { return false }
                }
            } catch {
                // A length beyond the limit: what follows is no message, so there is nothing to go on with.
                let failure = Failure(.boundsInvalid, "a request may have \(Wire.Limit.frame) bytes, not \(error.length)")
                _ = connection.send(Frame.encode(Reply.failure(failure, to: .unknown)))
                return false
            }
            guard isReadable(connection.socket) else { return true }
            guard let bytes = connection.receive() else { return false }
            reader.append(bytes)
        }
    }

    private func isReadable(_ socket: Int32) -> Bool {
        var poller = pollfd(fd: socket, events: Int16(POLLIN), revents: 0)
        while true {
            let ready = poll(&poller, 1, Int32(options.idleSeconds * 1000))
            if ready >= 0 || errno != EINTR { return ready > 0 }
        }
    }

    #if canImport(Glibc)
    private static let stream = Int32(SOCK_STREAM.rawValue)
    #else
    private static let stream = SOCK_STREAM
    #endif
}

/// One client.
public struct Connection {
    let socket: Int32

    init(_ socket: Int32) {
        self.socket = socket
    }

    /// Whether all of it went out.
    public func send(_ bytes: [UInt8]) -> Bool {
        var sent = 0
        while sent < bytes.count {
            let count = bytes[sent...].withUnsafeBytes { write(socket, $0.baseAddress, $0.count) }
            if count < 0 && errno == EINTR { continue }
            guard count > 0 else { return false }
            sent += count
        }
        return true
    }

    /// What has arrived; `nil` when the client is gone.
    func receive() -> [UInt8]? {
        var bytes = [UInt8](repeating: 0, count: 64 << 10)
        while true {
            let count = bytes.withUnsafeMutableBytes { read(socket, $0.baseAddress, $0.count) }
            if count < 0 && errno == EINTR { continue }
            return count > 0 ? Array(bytes.prefix(count)) : nil
        }
    }
}
