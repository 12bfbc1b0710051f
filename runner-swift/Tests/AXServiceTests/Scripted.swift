import AXService
import Foundation

/// An app with a tree of known shape, whose server refuses reads of too many levels.
final class ScriptedApp: TreeSource {
    struct Element {
        var depth: Int
        var label: String
    }

    var elements: [Element]
    var rejectAbove = Int.max
    var knowsChildren = true
    var givesHandles = true
    /// So many levels more than asked for are given.
    var levelsOff = 0
    var hidesContinuations = false
    var owners: [Int32?] = [42]
    var failure: Failure?
    private(set) var reads = 0
    private(set) var looks = 0

    init(_ elements: [Element]) {
        self.elements = elements
    }

    static func chain(_ count: Int) -> [Element] {
        (0..<count).map { Element(depth: $0, label: "\($0)") }
    }

    /// A line that splits into branches.
    static func fan(trunk: Int, branches: Int, length: Int) -> [Element] {
        chain(trunk) + (0..<branches).flatMap { branch in
            (0..<length).map { Element(depth: trunk + $0, label: "\(branch).\($0)") }
        }
    }

    func foregroundOwner() throws(Failure) -> Int32? {
        looks += 1
        return owners[min(looks, owners.count) - 1]
    }

    func application(_ pid: Int32) throws(Failure) -> Int {
        if let failure { throw failure }
        return 0
    }

    func read(_ handle: Int, levels: Int, nodes: Int, seconds: Double) throws(ReadFailure) -> Reading<Int> {
        reads += 1
        guard levels <= rejectAbove else { throw .depthRejected }
        let levels = hidesContinuations && handle > 0 ? 1 : levels + levelsOff
        let base = elements[handle].depth
        var out: [Reading<Int>.Element] = []
        for at in handle..<elements.count {
            let depth = elements[at].depth - base
            if at > handle, depth <= 0 { break }
            guard depth < levels else { continue }
            var facts = ElementFacts()
            facts.label = elements[at].label
            let below = elements[(at + 1)...].prefix { $0.depth > elements[at].depth }
            let children = below.filter { $0.depth == elements[at].depth + 1 }.count
            out.append(
                .init(depth: depth, facts: facts, children: knowsChildren ? children : nil, handle: givesHandles ? at : nil))
        }
        return Reading(out)
    }
}

/// A request that is right, with some members replaced; `nil` takes one away.
func request(_ changes: [String: Any?] = [:]) -> [UInt8] {
    var object: [String: Any] = [
        "protocolVersion": 1, "sourceVersion": "agent-device-ax-1", "requestId": "r1", "verb": "describe", "pid": 42,
        "generation": "g", "snapshotTree": true, "automationMode": true, "maxDepth": 64, "maxNodes": 5000,
        "maxDurationMs": 5000, "maxResponseBytes": 4 << 20,
    ]
    for (name, value) in changes {
        object[name] = value
    }
    // Foundation's own writer: the requests don't come from the code under test.
    return Array(try! JSONSerialization.data(withJSONObject: object))
}

func decoded(_ reply: [UInt8]) -> [String: Any] {
    (try? JSONSerialization.jsonObject(with: Data(reply))) as? [String: Any] ?? [:]
}

/// The labels of a replied tree in document order, each with its depth.
func labels(_ reply: [String: Any]) -> [String] {
    var out: [String] = []
    var open: [(node: [String: Any], depth: Int)] = (reply["tree"] as? [String: Any]).map { [($0, 0)] } ?? []
    while let (node, depth) = open.popLast() {
        out.append("\(depth):\(node[Wire.Key.label] as? String ?? "")")
        let children = node[Wire.Key.children] as? [[String: Any]] ?? []
        open.append(contentsOf: children.reversed().map { ($0, depth + 1) })
    }
    return out
}

/// The same numbers on every machine, so that a failure can be run again (xorshift64*, Vigna 2014).
struct Seeded: RandomNumberGenerator {
    private var state: UInt64

    init(_ seed: UInt64) {
        state = seed &* 0x9e37_79b9_7f4a_7c15 | 1
    }

    mutating func next() -> UInt64 {
        state ^= state >> 12
        state ^= state << 25
        state ^= state >> 27
        return state &* 0x2545_f491_4f6c_dd1d
    }
}
