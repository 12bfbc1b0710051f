/// What goes back over a connection, which it ends.
public struct HTTPResponse: Sendable, Equatable {
    public var status: Int
    public var body: [UInt8]
    public var contentType = "application/json"

    public init(status: Int, body: [UInt8]) {
        self.status = status
        self.body = body
    }

    public init(status: Int = 200, json: JSON) {
        self.init(status: status, body: json.encoded())
    }

    /// A request that was not looked at: the error says so in the shape of every other reply.
    public init(status: Int, refusing error: RunnerError) {
        self.init(status: status, json: Reply.failure(error).json())
    }

    init(_ refusal: HTTPRefusal) {
        switch refusal {
        case .malformed(let problem): self.init(status: 400, refusing: RunnerError(.invalidArguments, problem))
        case .lengthRequired:
            self.init(status: 411, refusing: RunnerError(.invalidArguments, "the request has no Content-Length"))
        case .tooLarge:
            let limit = "the request is larger than \(HTTPRequestParser.limit) bytes"
            self.init(status: 413, refusing: RunnerError(.invalidArguments, limit))
        }
    }

    func encoded() -> [UInt8] {
        let head =
            "HTTP/1.1 \(status) \(Self.phrases[status] ?? "OK")\r\nContent-Type: \(contentType)\r\n"
            + "Content-Length: \(body.count)\r\nConnection: close\r\n\r\n"
        return Array(head.utf8) + body
    }

    private static let phrases = [
        400: "Bad Request", 401: "Unauthorized", 403: "Forbidden", 404: "Not Found", 405: "Method Not Allowed",
        408: "Request Timeout", 411: "Length Required", 413: "Content Too Large", 500: "Internal Server Error",
        503: "Service Unavailable",
    ]
}
