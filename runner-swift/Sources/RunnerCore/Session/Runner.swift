import Foundation

/// What the environment of the test process says. Names are those that hosts write into it.
public struct RunnerOptions: Sendable {
    public var server = Server.Options()
    /// The test is to return at once: somebody only looks whether it starts.
    public var isNoop = false
    public var retriesReads = true

    public init() {}

    /// - Parameter isDevice: whether the host is another machine. One without usbmux comes by the network of the cable, or another
    ///   one, of which anybody may be part: so that is listened on only for who shows a token.
    /// - Throws: `RunnerError` naming the variable.
    public init(environment: [String: String], arguments: [String] = [], isDevice: Bool = false) throws {
        let name = "AGENT_DEVICE_RUNNER_PORT"
        let argument = arguments.first { $0.hasPrefix(name + "=") }?.dropFirst(name.count + 1)
        let port = environment[name] ?? argument.map(String.init) ?? ""
        if !port.isEmpty {
            guard let number = UInt16(port) else { throw RunnerError(.invalidArguments, "\(name) is no port: \(port)") }
            server.port = number
        }
        server.token = environment["AGENT_DEVICE_RUNNER_TOKEN"].flatMap { $0.isEmpty ? nil : $0 }
        if isDevice, server.token != nil { server.interface = .any }
        isNoop = Self.isSet(environment["AGENT_DEVICE_RUNNER_NOOP_STARTUP"])
        retriesReads = !Self.isSet(environment["AGENT_DEVICE_RUNNER_DISABLE_READONLY_RETRY"])
    }

    private static func isSet(_ value: String?) -> Bool {
        ["1", "true", "yes", "on"].contains(value?.lowercased() ?? "")
    }
}

/// A session behind a server, from the first line that says the port to the last reply.
public final class Runner: Sendable {
    /// Xcode ends a test process that is silent for too long.
    public static let keepaliveInterval = 60.0

    private let server: Server
    private let session: Session
    private let markers: Markers

    /// Listens and answers.
    public init(_ options: RunnerOptions, session: Session, markers: Markers) throws {
        self.session = session
        self.markers = markers
        markers.write("HEADLESS_STARTUP", "1")
        markers.write("DESIRED_PORT", "\(options.server.port)")
        do {
            server = try Server(options.server) { session.answer($0) }
        } catch {
            markers.write("LISTENER_FAILED", "\(error)")
            throw error
        }
        server.start()
        markers.write("LISTENER_READY")
        markers.write("PORT", "\(server.port)")
        markers.write("WAITING")
    }

    public var port: UInt16 { server.port }

    /// Waits, on a thread that is not the main one, until `shutdown` has been answered.
    public func runUntilShutdown() {
        while !session.end.wait(seconds: Self.keepaliveInterval) { markers.write("IDLE_KEEPALIVE") }
        server.stop()
        // The reply to the shutdown is still on its way.
        server.waitUntilIdle(seconds: 2)
    }
}
