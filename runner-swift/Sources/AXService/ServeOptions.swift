/// `serve SOCKET [--idle-timeout SECONDS] [--exit-on-disconnect true|false]`
public struct ServeOptions: Equatable, Sendable {
    public struct Wrong: Error, Equatable, CustomStringConvertible {
        public let description: String
    }

    public var socket: String
    /// The process ends after so long without a client or a request.
    public var idleSeconds = 60
    /// The process ends with its first client.
    public var exitOnDisconnect = false

    public init(socket: String) {
        self.socket = socket
    }

    public static func parse(_ arguments: [String]) throws(Wrong) -> ServeOptions {
        guard arguments.count >= 2, arguments[0] == "serve", !arguments[1].hasPrefix("--") else {
            throw Wrong(description: "usage: serve SOCKET [--idle-timeout SECONDS] [--exit-on-disconnect true|false]")
        }
        var options = ServeOptions(socket: arguments[1])
        var rest = arguments.dropFirst(2)
        while let name = rest.popFirst() {
            guard let value = rest.popFirst() else { throw Wrong(description: "\(name) needs a value") }
            switch (name, Int(value), Bool(value)) {
            case ("--idle-timeout", let seconds?, _) where (1...86_400).contains(seconds): options.idleSeconds = seconds
            case ("--exit-on-disconnect", _, let exit?): options.exitOnDisconnect = exit
            default: throw Wrong(description: "\(name) can't be \(value)")
            }
        }
        return options
    }
}
