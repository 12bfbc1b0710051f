/// Reads a tree with a limit on its depth, from the app's root or from an element of an earlier read.
public protocol DepthLimitedReader {
    associatedtype Element

    /// - Parameters:
    ///   - element: where the read starts; `nil` for the app itself.
    ///   - levels: how many levels are read, the first element's own included.
    func read(from element: Element?, levels: Int) throws(CaptureFailure) -> DepthLimitedRead<Element>
}

/// One answer of a limited read. Nodes on the last level that have children, or may have some, are marked as cut.
public struct DepthLimitedRead<Element> {
    public var tree: RawTree
    /// The elements of cut nodes, and of others that are to be asked more, by node index. One that can't be asked again is
    /// absent.
    public var elements: [Int: Element]

    public init(tree: RawTree, elements: [Int: Element] = [:]) {
        self.tree = tree
        self.elements = elements
    }
}

/// A capture whose source refuses trees that are too deep: it asks for fewer levels until it gets an answer, and then reads on
/// from the nodes where the answer was cut.
///
/// The platform's serialiser refuses trees of more than about 62 levels with "too many nested arrays". Trees of cross-platform
/// frameworks exceed that easily.
public struct DepthLadder {
    /// Levels that are tried, in order.
    public static let rungs = [64, 56, 40, 24, 12]
    public static let mostExtensions = 8
    public static let mostNodes = 5_000

    public struct Result<Element> {
        public var tree: RawTree
        /// The elements that the reader kept, by node index.
        public var elements: [Int: Element]
        /// The level down to which the tree is complete, when something below is missing.
        public var effectiveDepth: Int?
        public var truncated: Bool
        /// How many reads it took, refused ones included.
        public var requests: Int
    }

    public var memory: CaptureMemory
    /// Seconds of system uptime.
    public var uptime: () -> Double
    public var mostNodes = DepthLadder.mostNodes

    public init(memory: CaptureMemory, uptime: @escaping () -> Double) {
        self.memory = memory
        self.uptime = uptime
    }

    /// - Parameter depth: the deepest level that the caller wants, the root being 0; `nil` for all. It is tried as it is, whatever
    ///   an earlier capture taught.
    public func capture<Reader: DepthLimitedReader>(
        _ reader: Reader, depth: Int? = nil, of target: CaptureTarget, deadline: Deadline
    ) throws(CaptureFailure) -> Result<Reader.Element> {
        let wanted = depth.map { $0 + 1 } ?? .max
        let first = min(wanted, Self.rungs[0])
        let hint = depth == nil ? memory.depthHint(target, at: uptime()) : nil
        let start = hint ?? first
        var requests = 0
        var accepted: (read: DepthLimitedRead<Reader.Element>, levels: Int)?
        /// Why there is no answer; before the first request, that there was no time for one.
        var rejection = CaptureFailure.timedOut
        for levels in [start] + Self.rungs.filter({ $0 < start }) {
            if deadline.hasPassed(at: uptime()) { break }
            requests += 1
            do {
                accepted = (try reader.read(from: nil, levels: levels), levels)
                break
            } catch {
                guard case .axRejected = error else { throw error }
                rejection = error
            }
        }
        guard let (read, levels) = accepted else { throw rejection }
        // What was accepted at once teaches nothing about what would be refused.
        if requests > 1 { memory.learn(depth: levels, of: target, at: uptime()) }
        var graft = Graft(read, levels: wanted, mostNodes: mostNodes)
        var extensions = 0
        while extensions < Self.mostExtensions, !deadline.hasPassed(at: uptime()), let (node, element) = graft.next() {
            extensions += 1
            requests += 1
            let left = wanted - graft.depth(of: node)
            guard let below = try? reader.read(from: element, levels: min(levels, left)) else {
                graft.miss(node)
                continue
            }
            graft.add(below, under: node)
        }
        let (tree, places) = graft.tree.inDocumentOrder()
        let elements = Dictionary(uniqueKeysWithValues: graft.elements.map { (places[$0], $1) })
        return Result(
            tree: tree, elements: elements, effectiveDepth: graft.missingDepth, truncated: graft.isFull, requests: requests)
    }

    /// A tree that grows where it was cut.
    private struct Graft<Element> {
        private(set) var tree = RawTree()
        private(set) var elements: [Int: Element] = [:]
        private(set) var isFull = false
        /// How many levels are wanted. What lies below them is not missing.
        private let levels: Int
        private let mostNodes: Int
        /// First come, first served: the levels nearest to the root matter most.
        private var pending: [Int] = []
        private var taken = 0
        /// Nodes whose children are lost.
        private var missed: [Int] = []

        init(_ read: DepthLimitedRead<Element>, levels: Int, mostNodes: Int) {
            self.levels = levels
            self.mostNodes = mostNodes
            add(read, under: nil)
        }

        func depth(of node: Int) -> Int { tree.nodes[node].depth }

        mutating func next() -> (node: Int, element: Element)? {
            guard taken < pending.count, !isFull, let element = elements[pending[taken]] else { return nil }
            taken += 1
            return (pending[taken - 1], element)
        }

        mutating func miss(_ node: Int) { missed.append(node) }

        /// Adds what was read. The first node of an extension is the node that it starts from, which is there already.
        mutating func add(_ read: DepthLimitedRead<Element>, under root: Int?) {
            var places: [Int?] = []
            for (at, node) in read.tree.nodes.enumerated() {
                let parent = node.parent.flatMap { places[$0] }
                if at == 0, let root {
                    places.append(root)
                } else if tree.nodes.count < mostNodes, node.parent == nil || parent != nil {
                    places.append(tree.append(node.attributes, under: parent, actions: node.actions))
                } else {
                    isFull = true
                    places.append(nil)
                    if let parent { missed.append(parent) }
                }
                guard let place = places[at] else { continue }
                if let element = read.elements[at] { elements[place] = element }
                guard node.isCut, depth(of: place) + 1 < levels else { continue }
                if elements[place] == nil { missed.append(place) } else { pending.append(place) }
            }
        }

        /// The depth of the highest node whose children are missing.
        var missingDepth: Int? { (missed + pending[taken...]).map { depth(of: $0) }.min() }
    }
}

extension RawTree {
    /// The same nodes with the children of each together, in the order in which they were added, and where each went.
    func inDocumentOrder() -> (tree: RawTree, places: [Int]) {
        var children = Array(repeating: [Int](), count: nodes.count)
        var pending: [Int] = []
        for (at, node) in nodes.enumerated() {
            if let parent = node.parent { children[parent].append(at) } else { pending.append(at) }
        }
        pending.reverse()
        var ordered = RawTree()
        var places = Array(repeating: 0, count: nodes.count)
        while let at = pending.popLast() {
            let node = nodes[at]
            places[at] = ordered.append(
                node.attributes, under: node.parent.map { places[$0] }, isCut: node.isCut, actions: node.actions)
            pending += children[at].reversed()
        }
        return (ordered, places)
    }
}
