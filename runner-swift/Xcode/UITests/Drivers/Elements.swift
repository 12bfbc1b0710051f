import Foundation
import RunnerCore
import XCTest

/// Looks elements up by queries. Each query costs a tree of the app, and each snapshot of an element another round trip.
struct Elements: ElementDriver {
    /// More matches than this are as ambiguous as this many.
    private static let mostMatches = 50

    let apps: Apps

    /// A part of a value, or the whole of it. A value may be a number, of which `CONTAINS` raises an exception and which can only be
    /// compared as a whole; what is typed and what is read is text.
    private static let valueHolds: String = {
        let types = ElementType.textInputs.union([.staticText]).map { "elementType == \($0.rawValue)" }.sorted()
        return "(((\(types.joined(separator: " OR "))) AND value CONTAINS[c] %@) OR value ==[c] %@)"
    }()
    private static let anyHolds = "label CONTAINS[c] %@ OR identifier CONTAINS[c] %@ OR " + valueHolds

    func candidates(for selector: Command.ElementSelector, in bundleId: String?) throws -> [FoundElement] {
        let value = selector.value.trimmed
        // Texts are compared without regard to spaces afterwards: the longest word finds no fewer.
        let words: [Substring] = value.split(whereSeparator: \.isWhitespace)
        let word = words.max { $0.count < $1.count }.map { String($0) } ?? value
        let predicate = switch selector.key {
        case .id: NSPredicate(format: "identifier CONTAINS[c] %@", word)
        case .label: NSPredicate(format: "label CONTAINS[c] %@", word)
        case .value: NSPredicate(format: Self.valueHolds, word, value)
        case .text: NSPredicate(format: Self.anyHolds, word, word, word, value)
        }
        return try found(in: bundleId) { $0.descendants(matching: .any).matching(predicate) }
    }

    func elements(containing text: String, in bundleId: String?) throws -> [FoundElement] {
        let text = text.trimmed
        let predicate = NSPredicate(format: Self.anyHolds, text, text, text, text)
        return try found(in: bundleId) { $0.descendants(matching: .any).matching(predicate) }
    }

    func elements(at point: Point, in bundleId: String?) throws -> [FoundElement] {
        try guarded {
            let root = try apps.app(bundleId).snapshot()
            let size = Rect(root.frame)
            return root.flattened.filter { Rect($0.frame).containsHalfOpen(point) }.map { node in
                let attributes = NodeAttributes(node)
                return FoundElement(attributes, isHittable: node.isEnabled && size.containsHalfOpen(Rect(node.frame).center), handle: node)
            }
        }
    }

    func buttons(in bundleId: String?, ofNavigationBar: Bool) throws -> [FoundElement] {
        let bar = try found(in: bundleId) { $0.navigationBars.buttons }
        if ofNavigationBar { return bar }
        let inBar = Set(bar.compactMap { IdentityKey($0.attributes, includingSize: true) })
        return try found(in: bundleId) { $0.buttons }.filter { button in
            IdentityKey(button.attributes, includingSize: true).map { !inBar.contains($0) } ?? true
        }
    }

    func focused(in bundleId: String?) throws -> FoundElement? {
        try found(in: bundleId) { $0.descendants(matching: .any).matching(NSPredicate(format: "hasFocus == true")) }.first
    }

    func windowFrame(of bundleId: String?) throws -> Rect? {
        try guarded {
            let window = apps.app(bundleId).windows.firstMatch
            return window.exists ? Rect(window.frame) : nil
        }
    }

    func activate(_ element: FoundElement) throws {
        guard let element = element.handle as? XCUIElement else {
            throw RunnerError(.elementNotFound, "the element has no place and can't be reached by the framework")
        }
        #if os(tvOS) || CHECK_TVOS
            _ = element
            throw RunnerError(.unsupportedOperation, "there is no touch on tvOS", hint: "Move the focus there.")
        #elseif os(macOS) || CHECK_MACOS
            try withoutWaits(of: onMain { apps.current }) { element.click() }
        #else
            try withoutWaits(of: onMain { apps.current }) { element.tap() }
        #endif
    }

    private func found(in bundleId: String?, _ query: @MainActor (XCUIApplication) -> XCUIElementQuery) throws -> [FoundElement] {
        try guarded {
            query(apps.app(bundleId)).allElementsBoundByIndex.prefix(Self.mostMatches).compactMap { FoundElement($0) }
        }
    }
}

extension FoundElement {
    /// Nil when the element has gone since the query found it.
    @MainActor init?(_ element: XCUIElement) {
        guard let snapshot = try? element.snapshot() else { return nil }
        self.init(NodeAttributes(snapshot), isHittable: element.isHittable, handle: element)
    }
}

extension NodeAttributes {
    @MainActor init(_ node: any XCUIElementAttributes) {
        let type = ElementType(rawValue: node.elementType.rawValue)
        self.init(
            type, label: node.label.nonEmpty, identifier: node.identifier.nonEmpty,
            value: type.value(reported: node.value.map { "\($0)" }), placeholder: node.placeholderValue?.nonEmpty, frame: Rect(node.frame),
            isEnabled: node.isEnabled, isFocused: node.hasFocus, isSelected: node.isSelected)
    }
}

extension XCUIElementSnapshot {
    /// Itself and everything below it, in document order. With a stack of its own: a tree can be deeper than the thread's likes.
    @MainActor var flattened: [any XCUIElementSnapshot] {
        var (all, pending) = ([any XCUIElementSnapshot](), [self as any XCUIElementSnapshot])
        while let node = pending.popLast() {
            all.append(node)
            pending += node.children.reversed()
        }
        return all
    }
}

extension String {
    fileprivate var nonEmpty: String? { isEmpty ? nil : self }
}

extension Rect {
    init(_ rect: CGRect) {
        self.init(rect.origin.x, rect.origin.y, rect.size.width, rect.size.height)
    }
}
