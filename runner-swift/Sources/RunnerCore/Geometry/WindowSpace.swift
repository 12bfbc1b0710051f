// Two spaces and the way between them. Elements and callers speak the app's interface space, which turns with the app;
// touches of synthesized events and some windows speak the native portrait space of the screen, which never turns.

/// The interface orientation, by the numbers of `UIInterfaceOrientation`.
public enum InterfaceOrientation: Int, Sendable, CaseIterable {
    case unknown = 0
    case portrait = 1
    case portraitUpsideDown = 2
    case landscapeRight = 3
    case landscapeLeft = 4

    /// The words of the wire, in which orientations are asked for and answered.
    public var name: String {
        switch self {
        case .unknown: "unknown"
        case .portrait: "portrait"
        case .portraitUpsideDown: "portrait-upside-down"
        case .landscapeRight: "landscape-right"
        case .landscapeLeft: "landscape-left"
        }
    }

    public init?(name: String) {
        guard let known = Self.allCases.first(where: { $0.name == name }), known != .unknown else { return nil }
        self = known
    }

    public var isLandscape: Bool { self == .landscapeLeft || self == .landscapeRight }
}

/// The space in which a node's frame was reported.
public enum FrameSpace: Sendable, Equatable {
    case interface
    case native
}

/// Converts between the interface space of an app and the native portrait space of its screen.
public struct WindowSpace: Sendable, Equatable {
    /// The app's size as the interface sees it: wider than high in landscape.
    public let size: Size
    public let orientation: InterfaceOrientation

    public init(size: Size, orientation: InterfaceOrientation) {
        self.size = size
        self.orientation = orientation
    }

    public func native(_ point: Point) -> Point {
        switch orientation {
        case .unknown, .portrait: point
        case .portraitUpsideDown: Point(size.width - point.x, size.height - point.y)
        case .landscapeRight: Point(size.height - point.y, point.x)
        case .landscapeLeft: Point(point.y, size.width - point.x)
        }
    }

    public func interface(_ point: Point) -> Point {
        switch orientation {
        case .unknown, .portrait: point
        case .portraitUpsideDown: Point(size.width - point.x, size.height - point.y)
        case .landscapeRight: Point(point.y, size.height - point.x)
        case .landscapeLeft: Point(size.width - point.y, point.x)
        }
    }

    public func native(_ rect: Rect) -> Rect { turned(rect, by: native) }
    public func interface(_ rect: Rect) -> Rect { turned(rect, by: interface) }

    /// The frame in interface space, given the space in which it was reported.
    public func interface(_ rect: Rect, reportedIn space: FrameSpace) -> Rect {
        space == .native ? interface(rect) : rect
    }

    private func turned(_ rect: Rect, by turn: (Point) -> Point) -> Rect {
        // Null, infinite and undefined rectangles have no corners that could be turned.
        guard rect.isFinite else { return rect }
        let (a, b) = (turn(rect.origin), turn(Point(rect.maxX, rect.maxY)))
        return Rect(min(a.x, b.x), min(a.y, b.y), abs(a.x - b.x), abs(a.y - b.y))
    }

    /// Where a node of a tree may change the space in which frames below it are reported.
    public enum Anchor: Sendable {
        case window
        /// A direct child of a window: the host of another process's surface sits there.
        case childOfWindow
        case other
    }

    /// The space in which the frame of a node, and the frames below it, are reported. A window that was not turned with the
    /// app has the app's sides swapped. Its origin says nothing: keyboards and sheets lie anywhere.
    public func space(of frame: Rect?, anchor: Anchor, inherited: FrameSpace) -> FrameSpace {
        guard orientation.isLandscape, size.isUsable, !size.isSquare else { return .interface }
        guard let frame, frame.isUsable else { return anchor == .window ? .interface : inherited }
        let upright = frame.size.agrees(with: size, tolerance: 1)
        let swapped = frame.size.agrees(with: size.transposed, tolerance: 1)
        switch anchor {
        case .window: return swapped ? .native : .interface
        case .childOfWindow: return swapped ? .native : upright ? .interface : inherited
        case .other: return inherited
        }
    }
}
