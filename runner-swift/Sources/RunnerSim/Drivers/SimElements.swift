import RunnerCore

/// Looks elements up. Queries see the screen as it is, also where a capture lags behind it.
struct SimElements: ElementDriver {
    let device: SimDevice

    private func matching(_ condition: (Element) -> Bool) -> [FoundElement] {
        device.withApp { app, now in
            let scene = app.scene(now)
            return scene.elements.filter(condition).map { $0.found(in: scene) }
        }
    }

    func candidates(for selector: Command.ElementSelector, in bundleId: String?) throws -> [FoundElement] {
        matching { SelectorMatch.holds(selector, for: $0.attributes) }
    }

    func elements(containing text: String, in bundleId: String?) throws -> [FoundElement] {
        matching { SelectorMatch.contains(text, in: $0.attributes) }
    }

    func elements(at point: Point, in bundleId: String?) throws -> [FoundElement] {
        matching { $0.bounds.containsHalfOpen(point) }
    }

    func buttons(in bundleId: String?, ofNavigationBar: Bool) throws -> [FoundElement] {
        device.withApp { app, now in
            let scene = app.scene(now)
            return scene.elements.filter { element in
                let isInBar = element.parent.map { scene.elements[$0].type == .navigationBar } ?? false
                return element.type == .button && isInBar == ofNavigationBar
            }.map { $0.found(in: scene) }
        }
    }

    func focused(in bundleId: String?) throws -> FoundElement? { matching(\.isFocused).first }

    func windowFrame(of bundleId: String?) throws -> Rect? { device.withApp { app, _ in app.viewport } }

    func activate(_ element: FoundElement) throws {
        let point = device.withApp { app, now -> Point? in
            let scene = app.scene(now)
            return (element.handle as? String).flatMap(scene.find).map { scene.elements[$0].bounds.center }
        }
        guard let point else { throw RunnerError(.commandFailed, "Failed to get matching snapshot: No matches found") }
        device.touch([[(0, point), (0.05, point)]])
    }
}

extension Element {
    func found(in scene: Scene) -> FoundElement {
        let isHittable = isEnabled && scene.viewport.containsHalfOpen(bounds.center)
        return FoundElement(attributes, isHittable: isHittable, handle: key)
    }
}
