import Foundation
import RunnerCore
import XCTest

/// Keys, and the fields that take them.
struct Typing: TextDriver {
    private static let commandKey: UInt64 = 1 << 20

    let apps: Apps
    let recorder: Recorder

    /// The fields of text for which the condition holds too.
    private func inputs(in bundleId: String?, and condition: String? = nil) throws -> [FoundElement] {
        try guarded {
            let types = ElementType.textInputs.map { "elementType == \($0.rawValue)" }.sorted().joined(separator: " OR ")
            let format = condition.map { "(\(types)) AND \($0)" } ?? types
            let query = apps.app(bundleId).descendants(matching: .any).matching(NSPredicate(format: format))
            return query.allElementsBoundByIndex.compactMap { FoundElement($0) }
        }
    }

    func focusedInput(in bundleId: String?) throws -> FoundElement? {
        try inputs(in: bundleId, and: "hasKeyboardFocus == true").first
    }

    func input(at point: Point, in bundleId: String?) throws -> FoundElement? {
        try recorder.probing {
            try inputs(in: bundleId).filter { $0.attributes.frame?.containsHalfOpen(point) ?? false }.min {
                ($0.attributes.frame?.area ?? 0) < ($1.attributes.frame?.area ?? 0)
            }
        }
    }

    func attributes(of element: FoundElement) throws -> NodeAttributes? {
        try guarded {
            guard let element = element.handle as? XCUIElement, element.exists else { return nil }
            return (try? element.snapshot()).map { NodeAttributes($0) }
        }
    }

    func type(_ text: String, into element: FoundElement?, in bundleId: String?) throws {
        let app = onMain { apps.app(bundleId) }
        try withoutWaits(of: app) {
            if let field = element?.handle as? XCUIElement { field.typeText(text) } else { app.typeText(text) }
        }
    }

    var canSynthesize: Bool {
        #if os(iOS) || CHECK_IOS
            runner_can_type()
        #else
            false
        #endif
    }

    func synthesize(_ text: String) throws { try check(runner_type(text, UInt64(TextEntry.typingSpeed))) }

    func synthesizeSelectAll() throws { try check(runner_press_key("a", Self.commandKey)) }
}

/// The keyboard on the screen.
struct Keyboards: KeyboardDriver {
    private static let types: Set<ElementType> = [.button, .key]

    let apps: Apps

    func keyboard(in bundleId: String?) throws -> KeyboardState? {
        #if os(macOS) || CHECK_MACOS
            nil
        #else
            try guarded {
                let app = apps.app(bundleId)
                let keyboard = app.keyboards.firstMatch
                guard keyboard.exists, let tree = try? keyboard.snapshot() else { return nil }
                let keys = tree.flattened.map { (NodeAttributes($0), $0) }.filter { Self.types.contains($0.0.type) }.map {
                    FoundElement($0.0, isHittable: $0.0.isEnabled, handle: $0.1)
                }
                let bar = app.toolbars.buttons.allElementsBoundByIndex.compactMap { FoundElement($0) }
                return KeyboardState(frame: Rect(tree.frame), controls: keys + bar)
            }
        #endif
    }
}
