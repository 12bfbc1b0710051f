/// The part of the screen that a docked keyboard takes: touches there type letters instead of reaching the app.
public enum KeyboardOcclusion: Equatable, Sendable {
    /// No keyboard.
    case absent
    /// A keyboard that floats, is split, or reports its frame in a space that was not turned. It refuses nothing.
    case undetermined
    /// From the topmost part of the keyboard down to the end of the viewport, over the keyboard's own columns.
    case band(Rect)

    /// A docked keyboard ends at most so far above the end of the viewport. 58 was measured on a screen of 874 points.
    static let dock = 80.0
    /// The keys of one keyboard leave no wider column free.
    private static let gap = 2.0
    /// The bar below the keys, with the globe and the microphone, is the keyboard's own but no key.
    static let dockItem = "UIKeyboardDockItemButton"

    public init(_ elements: [NodeAttributes], viewport: Rect?) {
        guard let viewport, viewport.isUsable else {
            self = elements.contains(where: Self.isKeyboard) ? .undetermined : .absent
            return
        }
        let parts = elements.filter(Self.isKeyboard).compactMap(\.knownFrame).filter { $0.intersects(viewport) }
        let around = parts.reduce(Rect.null) { $0.union($1) }
        guard !around.isEmpty else {
            self = .absent
            return
        }
        let band = Rect(around.x, around.y, around.width, viewport.maxY - around.y)
        var reached = around.x
        var isSplit = false
        for part in parts.sorted(by: { $0.x < $1.x }) {
            isSplit = isSplit || part.x - reached > Self.gap
            reached = max(reached, part.maxX)
        }
        let isDocked = viewport.maxY - around.maxY <= Self.dock
        self = isDocked && band.width > band.height && !isSplit ? .band(band) : .undetermined
    }

    public static func isKeyboard(_ attributes: NodeAttributes) -> Bool {
        attributes.type == .keyboard || attributes.type == .key
    }

    /// Whether a touch at the point would be taken by the keyboard. Touches that mean the keyboard are not: on a key, or on an
    /// element of the keyboard's own.
    public func takes(_ point: Point, keys: [NodeAttributes], target: NodeAttributes? = nil) -> Bool {
        guard case .band(let band) = self, band.contains(point) else { return false }
        if let target, Self.isKeyboard(target) || target.identifier == Self.dockItem { return false }
        return !keys.contains { key in
            (key.type == .key || key.identifier == Self.dockItem) && (key.knownFrame?.contains(point) ?? false)
        }
    }
}
