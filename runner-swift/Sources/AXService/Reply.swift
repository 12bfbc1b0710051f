/// The bytes of a reply.
///
/// Members keep their order, children come last, so that a reader in one pass knows a node before it sees what is in it. Written
/// by hand, because `JSONSerialization` raises an exception for an infinite number and recurses on the depth of the tree.
public enum Reply {
    public static func failure(_ failure: Failure, to identity: DescribeRequest.Identity) -> [UInt8] {
        var out = Writer()
        out.open(identity, ok: false)
        out.member("error_kind", failure.code.kind.rawValue)
        out.member("error_code", failure.code.rawValue)
        out.member("error", failure.message)
        out.close()
        return out.bytes
    }

    public static func tree(_ output: (tree: Tree, recovery: Recovery), to request: DescribeRequest) throws(Failure) -> [UInt8] {
        var out = Writer()
        out.open(request.identity, ok: true)
        out.raw(",\"truncated\":\(output.tree.truncated),\"recovery\":{\"requests\":\(output.recovery.requests)")
        out.raw(",\"rejected\":\(output.recovery.rejected),\"continuations\":\(output.recovery.continuations)")
        out.raw(",\"acceptedLevels\":\(output.recovery.acceptedLevels)")
        out.raw(",\"elapsedMs\":\(output.recovery.elapsedMilliseconds)},\"tree\":")
        try write(output.tree, limit: request.maxResponseBytes, to: &out)
        out.close()
        guard out.bytes.count <= request.maxResponseBytes else { throw tooLarge(request.maxResponseBytes) }
        return out.bytes
    }

    private static func tooLarge(_ limit: Int) -> Failure {
        Failure(.responseTooLarge, "the tree takes more than \(limit) bytes")
    }

    private static func write(_ tree: Tree, limit: Int, to out: inout Writer) throws(Failure) {
        var open: [Int] = []
        var next: Int? = tree.nodes.isEmpty ? nil : 0
        while true {
            if let at = next {
                guard out.bytes.count <= limit else { throw tooLarge(limit) }
                out.node(tree.nodes[at].facts)
                open.append(at)
                next = tree.nodes[at].firstChild
            } else {
                guard let at = open.popLast() else { return }
                out.raw("]}")
                next = open.isEmpty ? nil : tree.nodes[at].nextSibling
                if next != nil { out.raw(",") }
            }
        }
    }
}

private struct Writer {
    private(set) var bytes: [UInt8] = []

    mutating func raw(_ text: String) {
        bytes.append(contentsOf: text.utf8)
    }

    mutating func open(_ identity: DescribeRequest.Identity, ok: Bool) {
        raw("{\"protocolVersion\":\(Wire.protocolVersion)")
        member("sourceVersion", Wire.sourceVersion)
        if let requestId = identity.requestId { member("requestId", requestId) }
        raw(",\"ok\":\(ok)")
        if let pid = identity.pid { raw(",\"pid\":\(pid)") }
        if let generation = identity.generation { member("generation", generation) }
    }

    mutating func close() {
        raw("}")
    }

    mutating func member(_ name: String, _ text: String) {
        raw(",")
        string(name)
        raw(":")
        string(text)
    }

    /// A node up to the beginning of its children.
    mutating func node(_ facts: ElementFacts) {
        raw("{")
        let texts = [
            (Wire.Key.elementType, facts.elementType), (Wire.Key.elementBaseType, facts.elementBaseType),
            (Wire.Key.label, facts.label), (Wire.Key.value, facts.value), (Wire.Key.placeholder, facts.placeholder),
            (Wire.Key.identifier, facts.identifier),
        ]
        for case (let name, let text?) in texts {
            string(name)
            raw(":")
            string(text)
            raw(",")
        }
        if let frame = facts.frame, frame.isFinite {
            raw("\"\(Wire.Key.frame)\":{\"X\":\(frame.x),\"Y\":\(frame.y)")
            raw(",\"Width\":\(frame.width),\"Height\":\(frame.height)},")
        }
        if let type = facts.automationType { raw("\"\(Wire.Key.automationType)\":\(type),") }
        if let traits = facts.traits { raw("\"\(Wire.Key.traits)\":\(traits),") }
        raw("\"\(Wire.Key.children)\":[")
    }

    private mutating func string(_ text: String) {
        bytes.append(UInt8(ascii: "\""))
        for byte in text.utf8 {
            switch byte {
            case UInt8(ascii: "\""), UInt8(ascii: "\\"): bytes.append(contentsOf: [UInt8(ascii: "\\"), byte])
            case 0..<0x20:
                bytes.append(contentsOf: "\\u00".utf8)
                bytes.append(contentsOf: [Self.hex[Int(byte >> 4)], Self.hex[Int(byte & 15)]])
            default: bytes.append(byte)
            }
        }
        bytes.append(UInt8(ascii: "\""))
    }

    private static let hex = Array("0123456789abcdef".utf8)
}
