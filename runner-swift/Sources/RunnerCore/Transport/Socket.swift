#if canImport(Darwin)
import Darwin
#else
import Glibc
#endif

/// A failed call of the system.
struct SocketError: Error, CustomStringConvertible {
    var call: String
    var code: Int32

    init(_ call: String) {
        (self.call, code) = (call, errno)
    }

    var description: String { "\(call): \(String(cString: strerror(code)))" }
}

/// A stream socket. Closed with its last reference.
final class Socket: Sendable {
    let descriptor: Int32

    init(_ descriptor: Int32) {
        self.descriptor = descriptor
        #if canImport(Darwin)
        set(SOL_SOCKET, SO_NOSIGPIPE, 1)
        #endif
    }

    deinit { close(descriptor) }

    private func set(_ level: Int32, _ option: Int32, _ value: Int32) {
        withUnsafePointer(to: value) { pointer in
            _ = setsockopt(descriptor, level, option, pointer, socklen_t(MemoryLayout<Int32>.size))
        }
    }

    // MARK: Listening

    /// Listens on 127.0.0.1, or on every interface and both protocols.
    static func listening(on interface: Server.Interface, port: UInt16) throws -> Socket {
        #if canImport(Darwin)
        let stream = SOCK_STREAM
        #else
        let stream = Int32(SOCK_STREAM.rawValue)
        #endif
        let family = interface == .loopback ? AF_INET : AF_INET6
        let descriptor = socket(family, stream, 0)
        guard descriptor >= 0 else { throw SocketError("socket") }
        let listener = Socket(descriptor)
        listener.set(SOL_SOCKET, SO_REUSEADDR, 1)
        var status: Int32
        if interface == .loopback {
            var address = sockaddr_in()
            address.sin_family = sa_family_t(AF_INET)
            address.sin_port = port.bigEndian
            address.sin_addr.s_addr = UInt32(0x7f00_0001).bigEndian
            status = withSocketAddress(&address) { bind(descriptor, $0, $1) }
        } else {
            listener.set(Int32(IPPROTO_IPV6), IPV6_V6ONLY, 0)
            var address = sockaddr_in6()
            address.sin6_family = sa_family_t(AF_INET6)
            address.sin6_port = port.bigEndian
            status = withSocketAddress(&address) { bind(descriptor, $0, $1) }
        }
        guard status == 0 else { throw SocketError("bind") }
        status = listen(descriptor, 64)
        guard status == 0 else { throw SocketError("listen") }
        return listener
    }

    /// The port that it listens on.
    func port() throws -> UInt16 {
        // Both kinds of address have the port at the same place.
        var address = sockaddr_in6()
        var length = socklen_t(MemoryLayout<sockaddr_in6>.size)
        let status = withUnsafeMutablePointer(to: &address) { pointer in
            pointer.withMemoryRebound(to: sockaddr.self, capacity: 1) { getsockname(descriptor, $0, &length) }
        }
        guard status == 0 else { throw SocketError("getsockname") }
        return UInt16(bigEndian: address.sin6_port)
    }

    /// The next connection; nil when there will be none any more.
    func accepted() -> Socket? {
        while true {
            let connection = accept(descriptor, nil, nil)
            if connection >= 0 { return Socket(connection) }
            switch errno {
            case EINTR, ECONNABORTED: continue
            // Out of descriptors: those that are open will close.
            case EMFILE, ENFILE, ENOBUFS, ENOMEM: usleep(50_000)
            default: return nil
            }
        }
    }

    /// Wakes who waits in `accepted`, and ends both directions of a connection.
    func shutDown() { _ = shutdown(descriptor, Int32(SHUT_RDWR)) }

    func endWriting() { _ = shutdown(descriptor, Int32(SHUT_WR)) }

    // MARK: Bytes

    /// What has come in, at most `count` bytes. Empty at the end of the stream.
    func receive(atMost count: Int, within milliseconds: Int) throws -> [UInt8] {
        try waitFor(Int16(POLLIN), milliseconds)
        var bytes = [UInt8](repeating: 0, count: count)
        let received = recv(descriptor, &bytes, count, 0)
        guard received >= 0 else { throw SocketError("recv") }
        bytes.removeSubrange(received...)
        return bytes
    }

    func send(_ bytes: [UInt8], within milliseconds: Int) throws {
        #if canImport(Darwin)
        let flags = Int32(MSG_DONTWAIT)
        #else
        let flags = Int32(MSG_DONTWAIT) | Int32(MSG_NOSIGNAL)
        #endif
        var rest = bytes[...]
        while !rest.isEmpty {
            try waitFor(Int16(POLLOUT), milliseconds)
            let sent = rest.withUnsafeBytes { systemSend(descriptor, $0.baseAddress, $0.count, flags) }
            if sent < 0 {
                if errno == EAGAIN || errno == EINTR { continue }
                throw SocketError("send")
            }
            rest = rest.dropFirst(sent)
        }
    }

    private func waitFor(_ events: Int16, _ milliseconds: Int) throws {
        var wanted = pollfd(fd: descriptor, events: events, revents: 0)
        while true {
            let ready = poll(&wanted, 1, Int32(clamping: max(0, milliseconds)))
            if ready > 0 { return }
            if ready == 0 {
                errno = ETIMEDOUT
                throw SocketError("poll")
            }
            if errno != EINTR { throw SocketError("poll") }
        }
    }
}

private func systemSend(_ descriptor: Int32, _ bytes: UnsafeRawPointer?, _ count: Int, _ flags: Int32) -> Int {
    send(descriptor, bytes, count, flags)
}

private func withSocketAddress<Address>(
    _ address: inout Address, _ body: (UnsafePointer<sockaddr>, socklen_t) -> Int32
) -> Int32 {
    withUnsafePointer(to: &address) { pointer in
        pointer.withMemoryRebound(to: sockaddr.self, capacity: 1) { body($0, socklen_t(MemoryLayout<Address>.size)) }
    }
}
