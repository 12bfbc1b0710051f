import RunnerCore

/// What a touch on an element does.
enum Act: Equatable {
    /// Nothing, and nothing is logged.
    case dead
    /// The tap is logged and changes nothing else.
    case tap
    case count, doubleZone, holdZone, pad, signIn, acceptSheet, toggleDrawer, wifi, terms, turnPage, launch, back
    case focus(Field)
    case selectTab(Int)
    case ask(Ask)
    case answer(Int)
    case open(Screen)
    case key(String)
    case hideKeyboard
}

/// A scroll container's content and how far it has moved.
struct Scroller {
    var name: String
    var offset: Double
    var max: Double
    /// Whether a stroke moves it.
    var moves = true
}

/// One element.
struct Element {
    var type: ElementType
    var bounds: Rect
    var id = ""
    /// What the log calls it.
    var name = ""
    var label: String?
    var value: String?
    var placeholder: String?
    var act: Act?
    /// The names of its custom actions.
    var actions: [String] = []
    var isEnabled = true
    var isSelected = false
    var isFocused = false
    var layer = 0
    /// Whether it catches touches all over the screen, as the shade behind an alert does.
    var isModal = false
    /// A mere grouping is not drawn: touches go through it.
    var isDrawn = true
    var scroller: Scroller?
    // Set by the scene.
    fileprivate(set) var parent: Int?
    fileprivate(set) var key = ""
    fileprivate(set) var visible = Rect.null
    fileprivate(set) var clip = Rect.null

    init(_ type: ElementType, _ bounds: Rect, id: String = "", label: String? = nil, act: Act? = nil) {
        (self.type, self.bounds, self.id, self.name, self.label, self.act) = (type, bounds, id, id, label, act)
    }

    static func button(_ id: String, _ label: String, _ bounds: Rect, _ act: Act) -> Element {
        Element(.button, bounds, id: id, label: label, act: act)
    }

    static func text(_ id: String, _ label: String, _ bounds: Rect) -> Element {
        Element(.staticText, bounds, id: id, label: label)
    }

    /// What the accessibility service says of it.
    var attributes: NodeAttributes {
        NodeAttributes(
            type, label: label, identifier: id.isEmpty ? nil : id, value: value, placeholder: placeholder, frame: bounds,
            isEnabled: isEnabled, isFocused: isFocused, isSelected: isSelected)
    }

    func with(_ change: (inout Element) -> Void) -> Element {
        var copy = self
        change(&copy)
        return copy
    }
}

/// What is on the screen at one moment, in document order.
struct Scene {
    private(set) var elements: [Element] = []
    let viewport: Rect
    /// Before the key of each element: the same element of another run of the app is another one.
    private let prefix: String

    /// The window that everything lies in.
    static let window = 1

    init(viewport: Rect, label: String, prefix: String) {
        (self.viewport, self.prefix) = (viewport, prefix)
        var root = Element(.application, viewport, label: label)
        (root.visible, root.clip, root.isDrawn) = (viewport, viewport, false)
        elements.append(root)
        add(Element(.window, viewport), to: 0)
    }

    @discardableResult
    mutating func add(_ element: Element, to parent: Int = window) -> Int {
        var element = element
        let around = elements[parent]
        element.parent = parent
        element.layer = max(element.layer, around.layer)
        element.clip = around.scroller == nil ? around.clip : around.visible
        element.visible = element.bounds.intersection(element.clip)
        element.key = "\(prefix)/\(element.name.isEmpty ? String(elements.count) : element.name)"
        elements.append(element)
        return elements.count - 1
    }

    /// What is drawn on top at a point: the latest element of the highest layer.
    func top(at point: Point) -> Int? {
        var top: Int?
        for (at, element) in elements.enumerated() where element.isDrawn || element.isModal {
            let area = element.isModal ? viewport : element.visible
            if area.containsHalfOpen(point), element.layer >= top.map({ elements[$0].layer }) ?? 0 { top = at }
        }
        return top
    }

    /// `at` and the elements around it, innermost first.
    func path(_ at: Int) -> some Sequence<Int> {
        sequence(first: at) { elements[$0].parent }
    }

    /// The element that a touch at a point acts on: the innermost one with an act around what is on top there.
    func target(at point: Point) -> Int? {
        top(at: point).flatMap { path($0).first { elements[$0].act != nil } }
    }

    func targetKey(at point: Point) -> String? { target(at: point).map { elements[$0].key } }

    func scroller(at point: Point) -> Scroller? {
        guard let top = top(at: point) else { return nil }
        for at in path(top) {
            if let scroller = elements[at].scroller { return scroller }
        }
        return nil
    }

    func find(_ key: String) -> Int? { elements.firstIndex { $0.key == key } }

    /// What the remote can be on: what reacts and can be seen.
    var focusable: [Int] {
        elements.indices.filter { at in
            elements[at].act != nil && elements[at].isEnabled && target(at: elements[at].bounds.center) == at
        }
    }

    /// Puts the focus of the remote on an element, or on the first that can have it.
    mutating func focus(_ key: String?) {
        let focusable = focusable
        if let at = focusable.first(where: { elements[$0].key == key }) ?? focusable.first { elements[at].isFocused = true }
    }

    /// The application element alone.
    var rootOnly: Scene {
        var root = self
        root.elements = Array(elements.prefix(1))
        return root
    }

    /// All of it.
    func tree() -> RawTree {
        var tree = RawTree()
        for element in elements {
            tree.append(element.attributes, under: element.parent)
        }
        return tree
    }
}
