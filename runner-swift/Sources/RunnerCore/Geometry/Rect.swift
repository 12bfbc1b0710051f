// Points, sizes and rectangles, in points of some space that the caller knows. Linux has no CoreGraphics, and CoreGraphics
// has three rectangles that are no rectangles (null, infinite, empty), so both are said here in words.

/// A place. Not necessarily finite: accessibility reports infinite and undefined places.
public struct Point: Hashable, Sendable {
    public var x: Double
    public var y: Double

    public init(_ x: Double, _ y: Double) {
        self.x = x
        self.y = y
    }

    /// Whether both coordinates can be sent to a device.
    public var isFinite: Bool { x.isFinite && y.isFinite }

    public func distance(to other: Point) -> Double {
        let (dx, dy) = (x - other.x, y - other.y)
        return (dx * dx + dy * dy).squareRoot()
    }
}

public struct Size: Hashable, Sendable {
    public var width: Double
    public var height: Double

    public init(_ width: Double, _ height: Double) {
        self.width = width
        self.height = height
    }

    public var isUsable: Bool { width.isFinite && height.isFinite && width > 0 && height > 0 }
    public var transposed: Size { Size(height, width) }
    public var isSquare: Bool { abs(width - height) <= 1 }

    /// Whether both sides agree within `tolerance`.
    public func agrees(with other: Size, tolerance: Double) -> Bool {
        abs(width - other.width) <= tolerance && abs(height - other.height) <= tolerance
    }
}

/// An axis-parallel rectangle.
public struct Rect: Hashable, Sendable {
    public var x: Double
    public var y: Double
    public var width: Double
    public var height: Double

    public init(_ x: Double, _ y: Double, _ width: Double, _ height: Double) {
        self.x = x
        self.y = y
        self.width = width
        self.height = height
    }

    public init(origin: Point, size: Size) {
        self.init(origin.x, origin.y, size.width, size.height)
    }

    public static let zero = Rect(0, 0, 0, 0)
    /// No place at all: the result of an empty intersection. The values are CoreGraphics' own, so a conversion keeps them.
    public static let null = Rect(.infinity, .infinity, 0, 0)
    /// Everywhere. CoreGraphics writes it with huge finite numbers: a check for finite numbers alone lets it pass.
    public static let infinite = Rect(
        -Double.greatestFiniteMagnitude / 2, -Double.greatestFiniteMagnitude / 2,
        Double.greatestFiniteMagnitude, Double.greatestFiniteMagnitude)

    public var isNull: Bool { x == .infinity || y == .infinity }

    /// CoreGraphics' infinite rectangle, or one of infinite size. Half of the greatest number is enough: sums with such
    /// sides mean nothing.
    public var isInfinite: Bool {
        let limit = Double.greatestFiniteMagnitude / 4
        return width > limit || height > limit
    }

    /// Whether it holds no point: null, undefined, or without a positive size. A negative size is a broken report, never a
    /// rectangle written from another corner.
    public var isEmpty: Bool { isNull || !(width > 0) || !(height > 0) || x.isNaN || y.isNaN }

    /// Whether its place is known: finite numbers all through, possibly without a size.
    public var isFinite: Bool {
        x.isFinite && y.isFinite && width.isFinite && height.isFinite && !isInfinite && maxX.isFinite && maxY.isFinite
    }

    /// Whether something in it can be touched: a known place and a positive size.
    public var isUsable: Bool { isFinite && width > 0 && height > 0 }

    public var origin: Point { Point(x, y) }
    public var size: Size { Size(width, height) }
    public var maxX: Double { x + width }
    public var maxY: Double { y + height }
    public var center: Point { Point(x + width / 2, y + height / 2) }
    /// 0 for a rectangle that can't be touched.
    public var area: Double { isUsable ? width * height : 0 }

    /// Whether `point` lies inside or on an edge.
    public func contains(_ point: Point) -> Bool {
        if isInfinite { return point.isFinite }
        return point.x >= x && point.x <= maxX && point.y >= y && point.y <= maxY
    }

    /// Whether `point` lies inside: the left and top edge belong to the rectangle, the right and bottom edge don't.
    public func containsHalfOpen(_ point: Point) -> Bool {
        if isInfinite { return point.isFinite }
        return point.x >= x && point.x < maxX && point.y >= y && point.y < maxY
    }

    /// Whether every edge of `other` lies inside or at most `tolerance` outside.
    public func contains(_ other: Rect, tolerance: Double) -> Bool {
        if isInfinite { return other.isFinite }
        return other.x >= x - tolerance && other.y >= y - tolerance
            && other.maxX <= maxX + tolerance && other.maxY <= maxY + tolerance
    }

    /// The common part, or `.null` when there is none of positive size.
    public func intersection(_ other: Rect) -> Rect {
        if isEmpty || other.isEmpty { return .null }
        if isInfinite { return other }
        if other.isInfinite { return self }
        let (left, top) = (max(x, other.x), max(y, other.y))
        let common = Rect(left, top, min(maxX, other.maxX) - left, min(maxY, other.maxY) - top)
        return common.isEmpty ? .null : common
    }

    public func intersects(_ other: Rect) -> Bool { !intersection(other).isEmpty }

    /// The smallest rectangle around both; an empty one adds nothing.
    public func union(_ other: Rect) -> Rect {
        if isEmpty { return other.isEmpty ? .null : other }
        if other.isEmpty { return self }
        if isInfinite || other.isInfinite { return .infinite }
        let (left, top) = (min(x, other.x), min(y, other.y))
        return Rect(left, top, max(maxX, other.maxX) - left, max(maxY, other.maxY) - top)
    }

    /// Smaller by `by` on each side; `.null` when nothing is left.
    public func inset(by amount: Double) -> Rect {
        inset(top: amount, left: amount, bottom: amount, right: amount)
    }

    public func inset(top: Double = 0, left: Double = 0, bottom: Double = 0, right: Double = 0) -> Rect {
        if isEmpty || isInfinite { return self }
        let inner = Rect(x + left, y + top, width - left - right, height - top - bottom)
        return inner.isEmpty ? .null : inner
    }

    /// Whether every edge of the two agrees within `tolerance`.
    public func agrees(with other: Rect, tolerance: Double) -> Bool {
        abs(x - other.x) <= tolerance && abs(y - other.y) <= tolerance
            && abs(maxX - other.maxX) <= tolerance && abs(maxY - other.maxY) <= tolerance
    }
}
