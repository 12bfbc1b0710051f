import RunnerCore

/// Keys into the fixture app.
struct SimText: TextDriver {
    let device: SimDevice

    private func inputs(_ condition: (Element) -> Bool) -> [FoundElement] {
        device.withApp { app, now in
            let scene = app.scene(now)
            return scene.elements.filter { $0.type.takesText && condition($0) }.map { $0.found(in: scene) }
        }
    }

    func focusedInput(in bundleId: String?) throws -> FoundElement? { inputs(\.isFocused).first }

    func input(at point: Point, in bundleId: String?) throws -> FoundElement? {
        inputs { $0.bounds.containsHalfOpen(point) }.min { ($0.attributes.frame?.area ?? 0) < ($1.attributes.frame?.area ?? 0) }
    }

    func attributes(of element: FoundElement) throws -> NodeAttributes? {
        var attributes = inputs { $0.key == element.handle as? String }.first?.attributes
        if device.meet(.muteFields) != nil { attributes?.value = nil }
        return attributes
    }

    func type(_ text: String, into element: FoundElement?, in bundleId: String?) throws {
        guard device.withApp({ app, _ in app.focus != nil }) else {
            throw RunnerError(.textInputNotFocused, "neither the element nor any descendant has keyboard focus")
        }
        let types = text.contains { $0 != "\u{8}" }
        let swallows = types && text.count > 1 && device.meet(.swallowKeys) != nil
        device.act { app, _ in app.press(keys: swallows ? String(text.prefix(1)) : text) }
    }

    var canSynthesize: Bool { !device.faults.contains { $0.0 == .refuseSynthesis } }

    func synthesize(_ text: String) throws {
        if device.meet(.refuseSynthesis) != nil { throw SynthesisRefused("typeText:typingSpeed: is missing") }
        device.act { app, _ in app.press(keys: text) }
    }

    func synthesizeSelectAll() throws {
        if device.meet(.refuseSynthesis) != nil { throw SynthesisRefused("typeKey:modifierFlags: is missing") }
        device.act { app, _ in app.state.isAllSelected = app.focus != nil }
    }
}

/// The keyboard on the screen: an element like any other.
struct SimKeyboard: KeyboardDriver {
    let device: SimDevice

    func keyboard(in bundleId: String?) throws -> KeyboardState? {
        device.withApp { app, now in
            let scene = app.scene(now)
            guard let at = scene.elements.firstIndex(where: { $0.type == .keyboard }) else { return nil }
            let controls = scene.elements.filter { $0.parent == at }.map { $0.found(in: scene) }
            return KeyboardState(frame: scene.elements[at].bounds, controls: controls)
        }
    }
}
