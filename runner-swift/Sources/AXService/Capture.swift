/// What a description cost.
public struct Recovery: Equatable, Sendable {
    public var requests = 0
    public var rejected = 0
    public var continuations = 0
    /// The levels that the server accepts in one read, as far as this description found out.
    public var acceptedLevels = 0
    public var elapsedMilliseconds = 0
}

/// Reads the tree of one app: in one read where the server lets it, else in several.
///
/// The platform's serialiser refuses trees of more than some sixty levels (`kAXErrorIllegalArgument`), and React Native trees
/// exceed that easily. So a refused read is asked again with half the levels, twice at most, and what lies below the levels
/// that were read is read from the element at the boundary. Nothing is guessed: a boundary at which the server does not say
/// whether there is more fails the description, because a tree with a hole in it would look whole.
public struct Capture<Source: TreeSource> {
    public struct Output {
        public var tree: Tree
        public var recovery: Recovery
    }

    private struct Boundary {
        let node: Int
        let depth: Int
        let handle: Source.Handle
    }

    private let source: Source
    private let request: DescribeRequest
    private let remaining: () -> Double
    private var tree = Tree()
    private var recovery = Recovery()
    private var ceiling: Int
    private var boundaries: [Boundary] = []
    /// There is no room for another node.
    private var isFull = false

    /// `remaining` is how many seconds are left for the description.
    public init(_ source: Source, _ request: DescribeRequest, remaining: @escaping () -> Double) {
        self.source = source
        self.request = request
        self.remaining = remaining
        ceiling = min(request.maxDepth + 1, request.levelsHint ?? .max)
    }

    public mutating func run() throws(Failure) -> Output {
        try checkOwner(.foregroundOwnerUnverified)
        let root = try source.application(request.pid)
        try attach(try read(root, at: 0), below: nil, at: 0)
        var next = 0
        while next < boundaries.count, !isFull {
            let boundary = boundaries[next]
            next += 1
            recovery.continuations += 1
            try attach(try read(boundary.handle, at: boundary.depth), below: boundary.node, at: boundary.depth)
        }
        // What was read while another app came to the front may be half of each.
        try checkOwner(.foregroundOwnerChanged)
        recovery.acceptedLevels = ceiling
        return Output(tree: tree, recovery: recovery)
    }

    private func checkOwner(_ code: Failure.Code) throws(Failure) {
        guard let owner = try source.foregroundOwner() else {
            throw Failure(.foregroundOwnerUnverified, "the system does not say whose app is in front")
        }
        guard owner == request.pid else {
            throw Failure(code, "process \(owner) is in front, not \(request.pid)")
        }
    }

    private mutating func read(_ handle: Source.Handle, at depth: Int) throws(Failure) -> (Reading<Source.Handle>, levels: Int) {
        var halvings = 0
        while true {
            guard recovery.requests < Wire.reads else {
                throw Failure(.continuationBudgetExhausted, "\(Wire.reads) reads did not reach the end of the tree")
            }
            let seconds = remaining()
            guard seconds > 0 else { throw Failure(.applicationTimeout, "the time of the request is over") }
            if recovery.requests > 0 { try checkOwner(.foregroundOwnerChanged) }
            let levels = min(ceiling, request.maxDepth - depth + 1)
            // Below a boundary one level is the boundary itself: nothing would be learnt.
            guard depth == 0 || levels > 1 else {
                throw Failure(.depthRejected, "the server refuses even two levels")
            }
            recovery.requests += 1
            do throws(ReadFailure) {
                return (try source.read(handle, levels: levels, nodes: request.maxNodes, seconds: seconds), levels)
            } catch {
                switch error {
                case .failed(let failure): throw failure
                case .depthRejected:
                    recovery.rejected += 1
                    guard halvings < Wire.halvings, levels > 1 else {
                        throw Failure(.depthRejected, "the server refuses a tree of \(levels) levels")
                    }
                    halvings += 1
                    ceiling = max(1, levels / 2)
                }
            }
        }
    }

    /// Adds what a read gave. The first element of a continuation is the boundary, which the tree has already.
    private mutating func attach(
        _ read: (reading: Reading<Source.Handle>, levels: Int), below boundary: Int?, at base: Int
    ) throws(Failure) {
        let elements = read.reading.elements
        guard let first = elements.first else { throw Failure(.emptyResponse, "the server gave no element") }
        guard first.depth == 0 else { throw Failure(.snapshotTreeMalformed, "the first element is not the root of its tree") }
        let deepest = elements.reduce(0) { max($0, $1.depth) }
        // What was read ends where it was cut, on its last level. Servers may count levels or the steps between them: one less
        // is a cut as well, and an element there that has no children costs nothing.
        let isCut = deepest >= read.levels - 2
        if boundary != nil, deepest == 0 {
            // It said that there is more, and shows nothing: what that is, nobody knows.
            tree.truncated = true
            return
        }
        // The nodes from the root of this reading to the latest element.
        var path: [Int] = []
        for (at, element) in elements.enumerated() {
            guard element.depth <= path.count, at == 0 || element.depth > 0 else {
                throw Failure(.snapshotTreeMalformed, "element \(at) has no parent")
            }
            path.removeLast(path.count - element.depth)
            let depth = base + element.depth
            if at == 0, let boundary {
                path.append(boundary)
            } else {
                isFull = tree.nodes.count >= request.maxNodes
                guard depth <= request.maxDepth, !isFull else {
                    // More levels than were asked for count as what lies below the last one: left out, and said so.
                    tree.truncated = true
                    if isFull { return }
                    path.append(path[element.depth - 1])
                    continue
                }
                path.append(tree.append(element.facts, below: path.last))
            }
            if isCut, element.depth == deepest { try end(element, node: path[element.depth], depth: depth) }
        }
    }

    /// An element on the last level that was read: is there more below it?
    private mutating func end(_ element: Reading<Source.Handle>.Element, node: Int, depth: Int) throws(Failure) {
        if element.children == 0 { return }
        if depth == request.maxDepth {
            tree.truncated = true
            return
        }
        guard element.children != nil else {
            throw Failure(.boundaryEvidenceMissing, "the server does not say whether the tree goes on at level \(depth)")
        }
        guard let handle = element.handle else {
            throw Failure(.continuationElementMissing, "the element at level \(depth) can't be read by itself")
        }
        boundaries.append(Boundary(node: node, depth: depth, handle: handle))
    }
}
