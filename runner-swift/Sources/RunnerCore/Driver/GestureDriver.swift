/// The finger, the mouse and the remote. Called on the main thread alone, and only with finite points of the app's interface
/// space. A call that returns has given everything to the system; one that throws may have given a part of it, unless it says
/// otherwise.
public protocol GestureDriver: Sendable {
    /// The size of the interface space, from the screen itself: accessibility may be broken or slow.
    func referenceSize() throws -> Size

    /// Gives a record of pointer movements to the system, past XCTest's waiting for the app to be idle.
    ///
    /// - Throws: `SynthesisRefused` when nothing was given.
    func synthesize(_ movements: PointerMovements, processId: Int32?) throws

    /// The framework's own gestures, by coordinates.
    func tap(_ point: Point, in bundleId: String?) throws
    func doubleTap(_ point: Point, in bundleId: String?) throws
    func press(_ point: Point, seconds: Double, in bundleId: String?) throws
    func drag(from: Point, to: Point, pressSeconds: Double, in bundleId: String?) throws

    /// Mac only.
    func click(_ button: Command.MouseButton, at point: Point, in bundleId: String?) throws
    /// Mac only: the wheel turns by so many points.
    func turnWheel(by delta: Size, at point: Point, in bundleId: String?) throws
    /// tvOS only.
    func press(_ button: Command.RemoteButton, seconds: Double?) throws
}

/// Where pointers are at which time.
public struct PointerMovements: Equatable, Sendable {
    public struct Sample: Equatable, Sendable {
        /// Seconds since the first pointer went down.
        public var offset: Double
        public var point: Point

        public init(_ offset: Double, _ point: Point) {
            (self.offset, self.point) = (offset, point)
        }
    }

    /// One list for each pointer. The first sample is where it goes down, the last where it is lifted.
    public var pointers: [[Sample]]

    public init(_ pointers: [[Sample]]) {
        self.pointers = pointers
    }

    /// In seconds.
    public var duration: Double { pointers.compactMap { $0.last?.offset }.max() ?? 0 }
}

/// The private event record can't be used here. Nothing was sent.
public struct SynthesisRefused: Error, Equatable, Sendable {
    /// What is missing, for instance a class or a selector.
    public var reason: String

    public init(_ reason: String) {
        self.reason = reason
    }
}

extension GestureDriver {
    public func click(_ button: Command.MouseButton, at point: Point, in bundleId: String?) throws {
        throw RunnerError(.unsupportedOperation, "there is no mouse on this platform")
    }

    public func turnWheel(by delta: Size, at point: Point, in bundleId: String?) throws {
        throw RunnerError(.unsupportedOperation, "there is no wheel on this platform")
    }

    public func press(_ button: Command.RemoteButton, seconds: Double?) throws {
        throw RunnerError(.unsupportedOperation, "there is no remote on this platform")
    }
}
