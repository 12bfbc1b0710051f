/// A request that came in whole.
public struct HTTPRequest: Sendable, Equatable {
    public var method: String
    public var path: String
    /// The query of the path, without the question mark.
    public var query: String
    public var authorization: String?
    /// Whether a page in a browser made it.
    public var hasOrigin: Bool
    public var body: [UInt8]
}

/// Why a request is answered without being looked at.
public enum HTTPRefusal: Error, Sendable, Equatable {
    case malformed(String)
    case lengthRequired
    case tooLarge
}

/// Bytes in, at most one request out. Holds no more than the limit, whatever comes in.
public struct HTTPRequestParser: Sendable {
    public enum Progress: Sendable, Equatable {
        case incomplete
        case complete(HTTPRequest)
        case refused(HTTPRefusal)
    }

    /// The largest request, its head included, in bytes.
    public static let limit = 2 * 1024 * 1024
    private static let longestHead = 64 * 1024

    private struct Head {
        var request: HTTPRequest
        var end: Int
        var length: Int
    }

    private var buffer: [UInt8] = []
    /// Up to where no end of the head was found, so that slow senders don't make it quadratic.
    private var searched = 0
    private var head: Head?

    public init() {}

    /// Takes what was received. Not to be called again after a request or a refusal.
    public mutating func feed(_ bytes: some Sequence<UInt8>) -> Progress {
        buffer.append(contentsOf: bytes)
        do {
            if head == nil { head = try parseHead() }
        } catch {
            return .refused(error)
        }
        guard let head else { return .incomplete }
        guard buffer.count >= head.end + head.length else { return .incomplete }
        var request = head.request
        request.body = Array(buffer[head.end..<head.end + head.length])
        return .complete(request)
    }

    private mutating func parseHead() throws(HTTPRefusal) -> Head? {
        guard let end = endOfHead() else {
            if buffer.count > Self.longestHead { throw .tooLarge }
            return nil
        }
        if end > Self.longestHead { throw .tooLarge }
        guard let text = String(validating: buffer[..<end], as: UTF8.self) else { throw .malformed("the head is not UTF-8") }
        var lines = text.split(separator: "\r\n", omittingEmptySubsequences: false).makeIterator()
        let start = (lines.next() ?? "").split(separator: " ", omittingEmptySubsequences: false)
        guard start.count == 3, !start[0].isEmpty, start[1].hasPrefix("/") || start[1] == "*", start[2].hasPrefix("HTTP/1.") else {
            throw .malformed("the first line is no HTTP/1 request")
        }
        let target = start[1].split(separator: "?", maxSplits: 1, omittingEmptySubsequences: false)
        var request = HTTPRequest(
            method: String(start[0]), path: String(target[0]), query: target.count > 1 ? String(target[1]) : "",
            authorization: nil, hasOrigin: false, body: [])
        var length: Int?
        while let line = lines.next(), !line.isEmpty {
            guard let colon = line.firstIndex(of: ":") else { throw .malformed("a header without a colon") }
            let value = line[line.index(after: colon)...].trimmed
            switch line[..<colon].lowercased() {
            case "content-length":
                guard let number = Int(value), number >= 0, value.utf8.allSatisfy({ 48...57 ~= $0 }), length ?? number == number
                else { throw .malformed("a Content-Length that is none") }
                length = number
            case "authorization": request.authorization = String(value)
            case "origin": request.hasOrigin = true
            default: break
            }
        }
        // A request without a body has no length either, and is refused for its method.
        guard let length = length ?? (request.method == "POST" ? nil : 0) else { throw .lengthRequired }
        // Both are checked before they are added: a length near Int.max must not overflow.
        if length > Self.limit || end + length > Self.limit { throw .tooLarge }
        return Head(request: request, end: end, length: length)
    }

    private mutating func endOfHead() -> Int? {
        var at = searched
        while at + 4 <= buffer.count {
            if buffer[at] == 13, buffer[at + 1] == 10, buffer[at + 2] == 13, buffer[at + 3] == 10 { return at + 4 }
            at += 1
        }
        searched = at
        return nil
    }
}

extension Substring {
    fileprivate var trimmed: Substring {
        var text = self
        while let first = text.first, first == " " || first == "\t" { text.removeFirst() }
        while let last = text.last, last == " " || last == "\t" { text.removeLast() }
        return text
    }
}
