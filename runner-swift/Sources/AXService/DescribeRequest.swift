import Foundation

/// A request for the tree of one app, checked.
public struct DescribeRequest: Equatable, Sendable {
    /// What every reply repeats, so that a client never takes the answer to one request for that to another.
    public struct Identity: Equatable, Sendable {
        public var requestId: String?
        public var pid: Int32?
        public var generation: String?

        public static let unknown = Identity()
    }

    public let identity: Identity
    public let pid: Int32
    /// The deepest level that is wanted; the app is at 0.
    public let maxDepth: Int
    public let maxNodes: Int
    public let maxMilliseconds: Int
    public let maxResponseBytes: Int
    /// So many levels were accepted last time where more were refused.
    public let levelsHint: Int?

    /// A refusal, with as much of the request's identity as could be read.
    public struct Refusal: Error, Equatable {
        public let identity: Identity
        public let failure: Failure
    }

    /// Reads a request. Unknown members are ignored.
    public static func decode(_ bytes: [UInt8]) throws(Refusal) -> DescribeRequest {
        guard let document = try? JSONSerialization.jsonObject(with: Data(bytes)), let object = document as? [String: Any] else {
            throw Refusal(identity: .unknown, failure: Failure(.jsonObjectRequired, "the request is no JSON object"))
        }
        let fields = Fields(object)
        let identity = Identity(
            requestId: fields.name("requestId"),
            pid: fields.integer("pid", in: 1...Int(Int32.max)).map(Int32.init),
            generation: fields.name("generation"))
        do throws(Failure) {
            return try DescribeRequest(fields, identity)
        } catch {
            throw Refusal(identity: identity, failure: error)
        }
    }

    private init(_ fields: Fields, _ identity: Identity) throws(Failure) {
        guard fields.integer("protocolVersion", in: 0...Int.max) == Wire.protocolVersion,
            fields.name("sourceVersion") == Wire.sourceVersion, identity.requestId != nil
        else {
            throw Failure(.identityMismatch, "wanted protocol \(Wire.protocolVersion) of \(Wire.sourceVersion) and a requestId")
        }
        guard fields.name("verb") == Wire.describe else {
            throw Failure(.verbNotSupported, "the only verb is \(Wire.describe)")
        }
        guard let pid = identity.pid else { throw Failure(.pidRequired, "pid must be a positive number") }
        guard identity.generation != nil else { throw Failure(.generationRequired, "generation must name the app's process") }
        guard fields.isTrue("snapshotTree") else {
            throw Failure(.snapshotTreeRequired, "only whole trees are read: snapshotTree must be true")
        }
        guard fields.isTrue("automationMode") else {
            throw Failure(.automationModeRequired, "trees are read in automation mode: automationMode must be true")
        }
        self.identity = identity
        self.pid = pid
        maxDepth = try fields.bound("maxDepth", in: 0...Wire.Limit.depth)
        maxNodes = try fields.bound("maxNodes", in: 1...Wire.Limit.nodes)
        maxMilliseconds = try fields.bound("maxDurationMs", in: 1...Wire.Limit.milliseconds)
        maxResponseBytes = try fields.bound("maxResponseBytes", in: 1...Wire.Limit.frame)
        levelsHint = fields.isPresent("nativeLevelsHint")
            ? try fields.bound("nativeLevelsHint", in: 1...Wire.Limit.depth + 1)
            : nil
    }
}

private struct Fields {
    private let object: [String: Any]

    init(_ object: [String: Any]) {
        self.object = object
    }

    func isPresent(_ name: String) -> Bool {
        object[name].map { !($0 is NSNull) } ?? false
    }

    func name(_ name: String) -> String? {
        (object[name] as? String).flatMap { $0.isEmpty || $0.utf8.count > Wire.Limit.name ? nil : $0 }
    }

    func isTrue(_ name: String) -> Bool {
        guard let number = object[name] as? NSNumber else { return false }
        return Self.isBoolean(number) && number.boolValue
    }

    func integer(_ name: String, in range: ClosedRange<Int>) -> Int? {
        guard let number = object[name] as? NSNumber, !Self.isBoolean(number) else { return nil }
        return Int(exactly: number.doubleValue).flatMap { range.contains($0) ? $0 : nil }
    }

    func bound(_ name: String, in range: ClosedRange<Int>) throws(Failure) -> Int {
        guard let value = integer(name, in: range) else {
            throw Failure(.boundsInvalid, "\(name) must be a whole number from \(range.lowerBound) to \(range.upperBound)")
        }
        return value
    }

    /// Foundation keeps `true` and `1` in the same type; the type that they were made from tells them apart.
    private static func isBoolean(_ number: NSNumber) -> Bool {
        String(cString: number.objCType) == "c" || String(cString: number.objCType) == "B"
    }
}
