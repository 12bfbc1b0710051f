/// Reads the custom actions of elements that have swallowed their children. A card that is one accessibility element offers its
/// buttons as actions, and in no other way. Each read is a call of its own, so only a few are made, and only on request.
public enum CustomActions {
    public static let mostElements = 12
    /// Seconds for one element. An app that responds takes about a tenth.
    public static let slice = 1.0

    /// Adds the names to the labelled leaves of `tree`, those on screen first.
    ///
    /// - Parameters:
    ///   - elements: what can be asked, by node index. A leaf without one counts as not read.
    ///   - read: the names of one element's actions; `nil` where it could not say.
    public static func add<Element: Sendable>(
        to tree: inout RawTree, of elements: [Int: Element], viewport: Rect?, deadline: Deadline, uptime: () -> Double,
        flight: SingleFlight, read: @escaping @Sendable (Element) -> [String]?
    ) -> CustomActionsCoverage {
        let candidates = candidates(in: tree, viewport: viewport)
        var coverage = CustomActionsCoverage(candidates: candidates.count)
        for index in candidates.filter({ elements[$0] != nil }).prefix(mostElements) {
            let now = uptime()
            guard let element = elements[index], !deadline.hasPassed(at: now) else { break }
            switch flight.run(seconds: min(slice, deadline.remaining(at: now)), { read(element) }) {
            case .done(let names?):
                coverage.read += 1
                let (names, isCut) = TextLimit.actions(names)
                tree.setActions(names, of: index)
                coverage.truncated += isCut ? 1 : 0
            case .done(nil): continue
            case .blocked:
                coverage.blocked = true
                return coverage
            }
        }
        return coverage
    }

    private static func candidates(in tree: RawTree, viewport: Rect?) -> [Int] {
        let hasChildren = tree.hasChildren
        let leaves = tree.nodes.indices.filter { index in
            index > 0 && !hasChildren[index] && !(tree.nodes[index].attributes.label ?? "").isBlank
        }
        guard let viewport else { return leaves }
        func isOnScreen(_ index: Int) -> Bool {
            tree.nodes[index].attributes.knownFrame.map { !$0.isEmpty && $0.intersects(viewport) } ?? false
        }
        return leaves.filter(isOnScreen) + leaves.filter { !isOnScreen($0) }
    }
}

/// How far custom actions were read. An element that was not read looks like one without actions, so this is said.
public struct CustomActionsCoverage: Equatable, Sendable {
    public var read = 0
    /// The elements that may have some.
    public var candidates: Int
    /// Elements whose list of names is not whole.
    public var truncated = 0
    /// A read hung, and the reads after it could not start.
    public var blocked = false

    public init(candidates: Int) {
        self.candidates = candidates
    }

    /// What is missing, in words.
    var gap: String? {
        guard read < candidates else { return nil }
        let cause = blocked ? "one read hangs" : "those on screen come first"
        return "custom actions were read of \(read) of \(candidates) elements (\(cause)); that another shows none proves nothing"
    }

    var json: JSON {
        .object([
            .init("read", .integer(read)), .init("candidates", .integer(candidates)),
            .init("truncated", .integer(truncated)), .init("blocked", .bool(blocked)),
        ])
    }
}
