/// Digests that tell one screen from another, in a form that can be kept and compared as text.
public enum Digest {
    /// The presentation digest: per node the first 8 bytes of the hash of type, label and identifier, XORed so that the order does
    /// not matter, then hashed with the number of nodes. Places, values and focus are left out: it sees another screen, not a
    /// movement. Hosts compare it with their own, so its form is fixed, including the weakness that two equal nodes cancel
    /// out and only their number shows.
    public static func presentation(of nodes: [PresentedNode]) -> String {
        var sum: UInt64 = 0
        for node in nodes {
            let text = [node.type, node.label ?? "", node.identifier ?? ""].joined(separator: "\0")
            sum ^= SHA256.hash(text.utf8).prefix(8).reduce(0) { $0 << 8 | UInt64($1) }
        }
        return "ax1:" + short("\(hex(sum))\0\(nodes.count)".utf8)
    }

    /// A digest of texts in order. Each is preceded by its length, so that no text can look like two.
    static func ordered(_ parts: [String]) -> String {
        var bytes: [UInt8] = []
        for part in parts {
            bytes += "\(part.utf8.count):".utf8
            bytes += part.utf8
        }
        return short(bytes)
    }

    private static func short(_ bytes: some Sequence<UInt8>) -> String {
        hex(SHA256.hash(bytes).prefix(8).reduce(0) { $0 << 8 | UInt64($1) })
    }

    private static func hex(_ value: UInt64) -> String {
        let digits = String(value, radix: 16)
        return String(repeating: "0", count: 16 - digits.count) + digits
    }
}
