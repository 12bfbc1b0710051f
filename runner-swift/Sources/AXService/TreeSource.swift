/// What an element says about itself.
public struct ElementFacts: Equatable, Sendable {
    public struct Frame: Equatable, Sendable {
        public var x, y, width, height: Double

        public init(x: Double, y: Double, width: Double, height: Double) {
            (self.x, self.y, self.width, self.height) = (x, y, width, height)
        }

        /// A frame that is being laid out can be infinite, and JSON has no word for that.
        var isFinite: Bool { x.isFinite && y.isFinite && width.isFinite && height.isFinite }
    }

    public var elementType: String?
    public var elementBaseType: String?
    public var label: String?
    public var value: String?
    public var placeholder: String?
    public var identifier: String?
    public var frame: Frame?
    public var automationType: UInt64?
    public var traits: UInt64?

    public init() {}
}

/// One read of a subtree: its elements in document order, the first at depth 0.
public struct Reading<Handle> {
    public struct Element {
        public var depth: Int
        public var facts: ElementFacts
        /// How many children the app says that it has; `nil` when it doesn't say.
        public var children: Int?
        /// By what it can be read again, if it can.
        public var handle: Handle?

        public init(depth: Int, facts: ElementFacts, children: Int?, handle: Handle?) {
            self.depth = depth
            self.facts = facts
            self.children = children
            self.handle = handle
        }
    }

    public var elements: [Element]

    public init(_ elements: [Element]) {
        self.elements = elements
    }
}

/// Why a read gave nothing.
public enum ReadFailure: Error, Equatable, Sendable {
    /// The app's accessibility server refuses a tree of so many levels. A smaller one may do.
    case depthRejected
    case failed(Failure)
}

/// The accessibility server as this service needs it. The guest has the private one, tests and the peer a scripted one.
public protocol TreeSource {
    associatedtype Handle

    /// The process whose app is in front; `nil` when the system doesn't say.
    func foregroundOwner() throws(Failure) -> Int32?

    /// The root of the app of this process.
    func application(_ pid: Int32) throws(Failure) -> Handle

    /// The elements from `handle` on, down to so many levels, in one question that may take so long.
    func read(_ handle: Handle, levels: Int, nodes: Int, seconds: Double) throws(ReadFailure) -> Reading<Handle>
}
