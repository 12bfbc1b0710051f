import RunnerCore
import UIKit

/// A scene as views: one control of UIKit for each element where UIKit has one, kept from look to look.
@MainActor final class Picture {
    private let root: UIView
    private weak var stage: Stage?
    private var views: [String: UIView] = [:]
    private var drawn: [NodeAttributes] = []
    private var focus: Field?

    init(in root: UIView, delegate stage: Stage) { (self.root, self.stage) = (root, stage) }

    /// - Parameter text: what a field holds, which its attributes don't tell: an empty one has its hint, a secure one dots.
    func show(_ scene: Scene, focus: Field?, text: (Field) -> String) {
        let attributes = scene.elements.map(\.attributes)
        guard attributes != drawn || focus != self.focus else { return }
        (drawn, self.focus) = (attributes, focus)
        let elements = scene.elements
        var placed = [UIView?](repeating: nil, count: elements.count)
        placed[Scene.window] = root
        var kept: [String: UIView] = [:]
        var onRoot: [(layer: Int, view: UIView)] = []
        let inside = Dictionary(grouping: elements.indices.dropFirst()) { elements[$0].parent ?? 0 }
        for at in elements.indices.dropFirst(Scene.window + 1) {
            let element = elements[at]
            // Alerts and the keyboard are UIKit's own, and what lies in bars and tables is theirs.
            guard let parent = element.parent, let around = placed[parent], element.type != .alert else { continue }
            let key = "\(element.key) \(element.type)"
            let view = views[key] ?? make(element)
            kept[key] = view
            let (place, outer) = (element.bounds, elements[parent].bounds)
            update(view, \.frame, CGRect(x: place.x - outer.x, y: place.y - outer.y, width: place.width, height: place.height))
            if view.superview !== around { around.addSubview(view) }
            if around === root { onRoot.append((element.layer, view)) }
            fill(view, element, (inside[at] ?? []).map { elements[$0] }, text: Field(rawValue: element.id).map { text($0) })
            if !(view is Composed) { placed[at] = view }
        }
        for (key, view) in views where kept[key] == nil { view.removeFromSuperview() }
        views = kept
        // Touches and the accessibility service meet the latest subview first.
        let order = onRoot.enumerated().sorted { ($0.element.layer, $0.offset) < ($1.element.layer, $1.offset) }.map(\.element.view)
        if root.subviews != order { for view in order { root.bringSubviewToFront(view) } }
        for view in kept.values { turn(view, to: focus) }
    }

    private func turn(_ view: UIView, to focus: Field?) {
        guard view is UITextField || view is UITextView else { return }
        let isWanted = focus != nil && view.accessibilityIdentifier == focus?.rawValue
        if isWanted, !view.isFirstResponder { _ = view.becomeFirstResponder() }
        if focus == nil, view.isFirstResponder { _ = view.resignFirstResponder() }
    }

    // MARK: One element

    private func make(_ element: Element) -> UIView {
        switch element.type {
        case .button:
            let button = UIButton(type: .system)
            button.backgroundColor = .secondarySystemBackground
            return button
        case .staticText: return UILabel()
        case .image: return UIImageView(image: UIImage(systemName: "circle.fill"))
        // A phone has no check boxes.
        case .switch, .checkBox: return UISwitch()
        case .textField, .secureTextField: return field(isSecure: element.type == .secureTextField)
        case .textView:
            let view = UITextView()
            view.delegate = stage
            (view.autocorrectionType, view.spellCheckingType, view.autocapitalizationType) = (.no, .no, .none)
            return view
        case .cell: return UITableViewCell(style: .default, reuseIdentifier: nil)
        case .table: return Rows(frame: .zero, style: .plain)
        case .tabBar: return Tabs(frame: .zero)
        case .navigationBar: return Title(frame: .zero)
        default:
            let view = UIView(frame: .zero)
            if element.isDrawn { view.backgroundColor = .secondarySystemBackground }
            return view
        }
    }

    private func field(isSecure: Bool) -> UITextField {
        let field = UITextField(frame: .zero)
        field.borderStyle = .roundedRect
        field.isSecureTextEntry = isSecure
        // The system offers no password of its own where a code is expected.
        field.textContentType = isSecure ? .oneTimeCode : nil
        (field.autocorrectionType, field.spellCheckingType, field.autocapitalizationType) = (.no, .no, .none)
        field.delegate = stage
        field.addAction(UIAction { [weak stage, weak field] _ in if let field { stage?.edited(field) } }, for: .editingChanged)
        // What puts the keyboard away, as real apps have it: a phone's keyboard has no key for it.
        let bar = UIToolbar(frame: CGRect(x: 0, y: 0, width: 320, height: 44))
        let hide = UIAction(title: "Hide keyboard") { [weak field] _ in _ = field?.resignFirstResponder() }
        bar.items = [UIBarButtonItem(primaryAction: hide)]
        field.inputAccessoryView = bar
        return field
    }

    private func fill(_ view: UIView, _ element: Element, _ children: [Element], text: String?) {
        update(view, \.accessibilityIdentifier, element.id.isEmpty ? nil : element.id)
        switch view {
        case let view as UIButton:
            if view.title(for: .normal) != element.label { view.setTitle(element.label, for: .normal) }
            update(view, \.isEnabled, element.isEnabled)
            update(view, \.isSelected, element.isSelected)
        case let view as UILabel: update(view, \.text, element.label)
        case let view as UISwitch:
            update(view, \.accessibilityLabel, element.label)
            if view.isOn != (element.value == "1") { view.setOn(element.value == "1", animated: false) }
        case let view as UITextField:
            update(view, \.placeholder, element.placeholder)
            update(view, \.text, text)
        case let view as UITextView: update(view, \.text, text)
        case let view as UITableViewCell: dress(view, element, isLeaf: children.isEmpty)
        case let view as any Composed: view.take(element, children)
        default:
            update(view, \.accessibilityLabel, element.label)
            update(view, \.isAccessibilityElement, children.isEmpty && element.label != nil)
            view.accessibilityTraits = element.type == .menuItem ? .button : element.type == .image ? .image : .none
        }
    }
}

/// Sets only what changes: a view that is told the same again may lay itself out again.
@MainActor func update<View: UIView, Value: Equatable>(_ view: View, _ path: ReferenceWritableKeyPath<View, Value>, _ value: Value) {
    if view[keyPath: path] != value { view[keyPath: path] = value }
}

@MainActor func dress(_ cell: UITableViewCell, _ element: Element, isLeaf: Bool) {
    update(cell, \.accessibilityIdentifier, element.id.isEmpty ? nil : element.id)
    update(cell, \.accessibilityLabel, element.label)
    update(cell, \.isAccessibilityElement, isLeaf)
    if let text = cell.textLabel, isLeaf { update(text, \.text, element.label) }
    if cell.accessibilityCustomActions?.map(\.name) ?? [] != element.actions {
        cell.accessibilityCustomActions = element.actions.map { UIAccessibilityCustomAction(name: $0) { _ in false } }
    }
}

// MARK: - Controls that hold elements of their own

/// A view that draws the elements inside itself.
@MainActor protocol Composed: UIView {
    func take(_ element: Element, _ children: [Element])
}

/// A table. The app moves it, so that a stroke moves it by its own length; only rows on the screen are in the tree.
final class Rows: UITableView, Composed, UITableViewDataSource {
    private var rows: [Element] = []

    func take(_ element: Element, _ children: [Element]) {
        if rows.map(\.key) != children.map(\.key) {
            rows = children
            (isScrollEnabled, estimatedRowHeight, dataSource) = (false, 0, self)
            contentInsetAdjustmentBehavior = .never
            rowHeight = CGFloat(children.first?.bounds.height ?? 0)
            reloadData()
            layoutIfNeeded()
        }
        let offset = CGPoint(x: 0, y: element.scroller?.offset ?? 0)
        if contentOffset != offset { setContentOffset(offset, animated: false) }
    }

    func tableView(_ tableView: UITableView, numberOfRowsInSection section: Int) -> Int { rows.count }

    func tableView(_ tableView: UITableView, cellForRowAt indexPath: IndexPath) -> UITableViewCell {
        let cell = dequeueReusableCell(withIdentifier: "row") ?? UITableViewCell(style: .default, reuseIdentifier: "row")
        dress(cell, rows[indexPath.row], isLeaf: true)
        return cell
    }
}

final class Tabs: UITabBar, Composed {
    func take(_ element: Element, _ children: [Element]) {
        if items?.map(\.accessibilityIdentifier) != children.map(\.id) {
            items = children.enumerated().map { at, child in
                let item = UITabBarItem(title: child.label, image: nil, tag: at)
                item.accessibilityIdentifier = child.id
                return item
            }
        }
        selectedItem = children.firstIndex(where: \.isSelected).flatMap { items?[$0] }
    }
}

final class Title: UINavigationBar, Composed {
    func take(_ element: Element, _ children: [Element]) {
        guard topItem?.title != element.label else { return }
        let item = UINavigationItem(title: element.label ?? "")
        // The window has seen the touch already.
        item.leftBarButtonItem = children.first.map { UIBarButtonItem(primaryAction: UIAction(title: $0.label ?? "") { _ in }) }
        setItems([item], animated: false)
    }
}
