/// Where a tree can come from. Raw values are on the wire.
public enum BackendKind: String, Sendable, CaseIterable {
    /// The recursive snapshot of the app's element.
    case tree
    /// A flat sweep of typed queries.
    case queries
    /// The accessibility client of the device object, which does not go through XCTest's channel.
    case privateAX = "private-ax"
}

/// The system that the runner runs on.
public enum Platform: String, Sendable, CaseIterable {
    case iOS
    case tvOS
    case macOS
    case visionOS
}

/// What a backend can do: data, so that the plan has no branches per backend.
public struct BackendTraits: Sendable, Equatable {
    public enum DepthSemantics: String, Sendable {
        /// What lies below the last presented level need not be read.
        case presentedFrontier = "presented-frontier"
        /// Everything is on level 1.
        case flat
        /// The tree is read whole and cut when it is presented.
        case presentationCut = "presentation-cut"
    }

    /// Its calls go through the daemon that also serves XCTest: they block behind an abandoned call, and can hang.
    public let usesXCTestChannel: Bool
    public let givesRaw: Bool
    /// Whether it reads on below its own depth limit.
    public let extendsDepth: Bool
    /// Whether it tries smaller depths when a tree is refused as too deep.
    public let hasDepthLadder: Bool
    /// Whether a caller may ask for it by name.
    public let isForceable: Bool
    public let depthSemantics: DepthSemantics
}

extension BackendKind {
    public var traits: BackendTraits {
        switch self {
        case .tree:
            BackendTraits(
                usesXCTestChannel: true, givesRaw: true, extendsDepth: false, hasDepthLadder: false, isForceable: true,
                depthSemantics: .presentedFrontier)
        case .queries:
            BackendTraits(
                usesXCTestChannel: true, givesRaw: false, extendsDepth: false, hasDepthLadder: false, isForceable: false,
                depthSemantics: .flat)
        case .privateAX:
            BackendTraits(
                usesXCTestChannel: false, givesRaw: true, extendsDepth: true, hasDepthLadder: true, isForceable: true,
                depthSemantics: .presentationCut)
        }
    }
}
