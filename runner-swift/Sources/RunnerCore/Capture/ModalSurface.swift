/// An alert, sheet or prompt of the system that lies over the app. While it is there it is the screen: its nodes replace the
/// app's, and scope, depth and raw don't apply.
public struct ModalSurface: Equatable, Sendable {
    /// The word that hosts know a modal's root by. An element of the same type inside an app goes by its number.
    static let rootType = "Alert"
    /// A prompt's title and message; more texts would be its host's furniture.
    static let mostTexts = 2

    public var title: String?
    public var frame: Rect?
    public var actions: [NodeAttributes]
    public var texts: [NodeAttributes]

    public init(title: String?, frame: Rect?, actions: [NodeAttributes], texts: [NodeAttributes]) {
        self.title = title
        self.frame = frame
        self.actions = actions
        self.texts = texts
    }

    public var nodes: [PresentedNode] {
        let statics = texts.filter { $0.type == .staticText }.prefix(Self.mostTexts)
        let views = texts.filter { $0.type == .textView }.prefix(Self.mostTexts)
        var root = PresentedNode(
            RawNode(NodeAttributes(.alert, label: title, frame: frame), depth: 0, parent: nil), source: 0, index: 0, rect: frame,
            isHittable: false, depth: 0, parentIndex: nil)
        root.type = Self.rootType
        let children = actions.map { ($0, $0.isEnabled) } + (statics + views).map { ($0, false) }
        return [root] + children.enumerated().map { at, child in
            PresentedNode(
                RawNode(child.0, depth: 1, parent: 0), source: at + 1, index: at + 1, rect: child.0.frame, isHittable: child.1,
                depth: 1, parentIndex: 0)
        }
    }
}
