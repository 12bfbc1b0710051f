/// One node as it goes to the host.
public struct PresentedNode: Equatable, Sendable {
    /// Index in the captured tree. Not on the wire: it joins a node to what it was made from.
    public var source: Int
    public var index: Int
    public var type: String
    public var label: String?
    public var identifier: String?
    public var value: String?
    /// The hint of an empty field: a value that equals it is no text.
    public var placeholder: String?
    /// The part that can be seen. `nil` when the place is unknown.
    public var rect: Rect?
    public var isEnabled: Bool
    public var isFocused: Bool
    public var isSelected: Bool
    public var isHittable: Bool
    public var depth: Int
    public var parentIndex: Int?
    public var hidesContentAbove: Bool
    public var hidesContentBelow: Bool
    public var actions: [String]

    init(_ node: RawNode, source: Int, index: Int, rect: Rect?, isHittable: Bool, depth: Int, parentIndex: Int?) {
        self.source = source
        self.index = index
        type = node.attributes.type.name
        label = node.attributes.label
        identifier = node.attributes.identifier
        value = node.attributes.value
        placeholder = node.attributes.placeholder
        self.rect = rect
        isEnabled = node.attributes.isEnabled
        isFocused = node.attributes.isFocused
        isSelected = node.attributes.isSelected
        self.isHittable = isHittable
        self.depth = depth
        self.parentIndex = parentIndex
        hidesContentAbove = false
        hidesContentBelow = false
        actions = node.actions
    }

    /// The wire form. Facts that are only ever stated when they hold are left out when they don't.
    public var json: JSON {
        let said = { (flag: Bool) -> JSON? in flag ? .bool(true) : nil }
        return .known([
            ("index", .integer(index)), ("type", .string(type)), ("label", label.map(JSON.string)),
            ("identifier", identifier.map(JSON.string)), ("value", value.map(JSON.string)),
            ("placeholder", placeholder.map(JSON.string)), ("rect", rect?.json),
            ("enabled", .bool(isEnabled)), ("focused", said(isFocused)), ("selected", said(isSelected)),
            ("hittable", .bool(isHittable)), ("depth", .integer(depth)), ("parentIndex", parentIndex.map(JSON.integer)),
            ("hiddenContentAbove", said(hidesContentAbove)), ("hiddenContentBelow", said(hidesContentBelow)),
            ("actions", actions.isEmpty ? nil : .array(actions.map(JSON.string))),
        ])
    }
}

extension Rect {
    /// The wire form; `nil` for a rectangle without a known place, which JSON can't hold.
    public var json: JSON? {
        guard isFinite else { return nil }
        return .object([
            .init("x", .number(x)), .init("y", .number(y)), .init("width", .number(width)), .init("height", .number(height)),
        ])
    }
}
