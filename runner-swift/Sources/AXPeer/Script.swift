import AXService
import Foundation

/// How the peer behaves: words of the form `key=value`.
///
/// | word | meaning |
/// | --- | --- |
/// | `tree=chain:N`, `tree=wide:N` | so many elements in one line, or side by side |
/// | `tree=fan:TRUNK:BRANCHES:LENGTH` | a line that splits |
/// | `tree=file:PATH` | a JSON array of elements in document order, each with its `depth` |
/// | `owner=PID`, `owner=none`, `owner=changes` | whose app is in front; the one that is asked for unless said |
/// | `owner=file:PATH` | the same, read from a file at each look |
/// | `reject-above=N` | reads of more levels are refused as too deep |
/// | `children=unknown`, `handles=missing` | what the app keeps to itself at a boundary |
/// | `slow=MS`, `hang=N` | each read takes so long; the N-th never ends |
/// | `fail=CODE`, `fail=CODE:N` | every description, or the first N, fail like this |
/// | `fault=NAME`, `fault=NAME@N` | every reply, or the N-th, is wrong in this way: see `Fault` |
/// | `log=PATH` | one line for each request and each read |
struct Script {
    var elements: [Element] = Script.chain(1)
    var owner: Owner = .asked
    var rejectAbove = Int.max
    var knowsChildren = true
    var givesHandles = true
    var slowMilliseconds: UInt32 = 0
    var hangOn: Int?
    var failure: (code: Failure.Code, times: Int)?
    var faults: [(fault: Fault, at: Int?)] = []
    var log: String?

    enum Owner {
        case asked
        case process(Int32)
        case file(String)
        case nobody
        /// The app, and after the first look another one.
        case changes
    }

    struct Element {
        var depth: Int
        var facts: ElementFacts
    }

    struct Wrong: Error, CustomStringConvertible {
        let description: String
    }

    func note(_ line: String) {
        guard let log, let file = fopen(log, "a") else { return }
        fputs(line + "\n", file)
        fclose(file)
    }

    static func parse(_ text: String) throws -> Script {
        var script = Script()
        for word in text.split(separator: " ") {
            let parts = word.split(separator: "=", maxSplits: 1).map(String.init)
            guard parts.count == 2 else { throw Wrong(description: "\(word) is not key=value") }
            try script.apply(parts[0], parts[1])
        }
        return script
    }

    private mutating func apply(_ key: String, _ value: String) throws {
        let parts = value.split(separator: ":").map(String.init)
        let number = Int(value)
        switch (key, value, number) {
        case ("tree", _, _): elements = try Self.tree(parts)
        case ("owner", "none", _): owner = .nobody
        case ("owner", "changes", _): owner = .changes
        case ("owner", _, _) where parts.first == "file" && parts.count == 2: owner = .file(parts[1])
        case ("owner", _, let pid?): owner = .process(Int32(clamping: pid))
        case ("reject-above", _, let levels?): rejectAbove = levels
        case ("children", "unknown", _): knowsChildren = false
        case ("handles", "missing", _): givesHandles = false
        case ("slow", _, let milliseconds?): slowMilliseconds = UInt32(clamping: milliseconds)
        case ("hang", _, let read?): hangOn = read
        case ("log", _, _): log = value
        case ("fail", _, _):
            guard let code = Failure.Code(rawValue: parts[0]) else { throw Wrong(description: "no such code: \(parts[0])") }
            failure = (code, parts.count > 1 ? Int(parts[1]) ?? 1 : Int.max)
        case ("fault", _, _):
            let parts = value.split(separator: "@").map(String.init)
            guard let fault = Fault(rawValue: parts[0]) else { throw Wrong(description: "no such fault: \(parts[0])") }
            faults.append((fault, parts.count > 1 ? Int(parts[1]) : nil))
        default: throw Wrong(description: "\(key) can't be \(value)")
        }
    }

    private static func tree(_ parts: [String]) throws -> [Element] {
        let numbers = parts.dropFirst().compactMap { Int($0) }
        switch (parts.first, numbers.count) {
        case ("chain", 1): return chain(numbers[0])
        case ("wide", 1):
            return chain(1) + (0..<numbers[0]).map { element(1, "row \($0)", y: Double($0)) }
        case ("fan", 3):
            let branches = (0..<numbers[1]).flatMap { branch in
                (0..<numbers[2]).map { element(numbers[0] + $0, "branch \(branch) \($0)", y: Double(branch)) }
            }
            return chain(numbers[0]) + branches
        case ("file", _) where parts.count == 2: return try file(parts[1])
        default: throw Wrong(description: "no such tree: \(parts.joined(separator: ":"))")
        }
    }

    private static func chain(_ count: Int) -> [Element] {
        (0..<count).map { element($0, $0 == 0 ? "App" : "level \($0)", y: Double($0)) }
    }

    private static func element(_ depth: Int, _ label: String, y: Double) -> Element {
        var facts = ElementFacts()
        facts.automationType = depth == 0 ? 2 : 48
        facts.label = label
        facts.frame = .init(x: 0, y: depth == 0 ? 0 : y, width: 390, height: depth == 0 ? 844 : 20)
        return Element(depth: depth, facts: facts)
    }

    private static func file(_ path: String) throws -> [Element] {
        let document = try JSONSerialization.jsonObject(with: Data(contentsOf: URL(fileURLWithPath: path)))
        guard let entries = document as? [[String: Any]] else { throw Wrong(description: "\(path) holds no array of elements") }
        return entries.map { entry in
            var facts = ElementFacts()
            facts.elementType = entry["type"] as? String
            facts.elementBaseType = entry["base"] as? String
            facts.label = entry["label"] as? String
            facts.value = entry["value"] as? String
            facts.placeholder = entry["placeholder"] as? String
            facts.identifier = entry["id"] as? String
            facts.automationType = (entry["automation"] as? Int).map { UInt64($0) }
            facts.traits = (entry["traits"] as? Int).map { UInt64($0) }
            if let frame = entry["frame"] as? [Double], frame.count == 4 {
                facts.frame = .init(x: frame[0], y: frame[1], width: frame[2], height: frame[3])
            }
            return Element(depth: entry["depth"] as? Int ?? 0, facts: facts)
        }
    }
}
