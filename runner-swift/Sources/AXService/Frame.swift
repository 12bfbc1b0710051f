/// A message on the socket: its length as four bytes, most significant first, then so many bytes of UTF-8 JSON.
public enum Frame {
    public static let header = 4

    public static func encode(_ body: [UInt8]) -> [UInt8] {
        // A body that the length can't hold is far beyond every limit, so it never gets here.
        let length = UInt32(clamping: body.count)
        var bytes: [UInt8] = []
        bytes.reserveCapacity(header + body.count)
        for shift in [24, 16, 8, 0] as [UInt32] {
            bytes.append(UInt8(truncatingIfNeeded: length >> shift))
        }
        bytes.append(contentsOf: body)
        return bytes
    }

    static func length(of header: some Collection<UInt8>) -> Int {
        header.reduce(0) { $0 << 8 | Int($1) }
    }
}

/// Cuts what arrives into messages. It holds one message at most, because it refuses a length before it waits for the body.
public struct FrameReader {
    public struct TooLarge: Error, Equatable {
        public let length: Int
    }

    private let limit: Int
    private var buffer: [UInt8] = []

    public init(limit: Int = Wire.Limit.frame) {
        self.limit = limit
    }

    /// Whether a message has begun and not ended.
    public var isMidway: Bool { !buffer.isEmpty }

    public mutating func append(_ bytes: some Sequence<UInt8>) {
        buffer.append(contentsOf: bytes)
    }

    /// The next whole message, `nil` while there is none.
    public mutating func next() throws(TooLarge) -> [UInt8]? {
        guard buffer.count >= Frame.header else { return nil }
        let length = Frame.length(of: buffer.prefix(Frame.header))
        guard length <= limit else { throw TooLarge(length: length) }
        let end = Frame.header + length
        guard buffer.count >= end else { return nil }
        let body = Array(buffer[Frame.header..<end])
        buffer.removeFirst(end)
        return body
    }
}
