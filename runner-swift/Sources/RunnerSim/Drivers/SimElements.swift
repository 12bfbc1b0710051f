import RunnerCore

/// Looks elements up in what the accessibility service reports.
struct SimElements: ElementDriver {
    let device: SimDevice

    private func matching(_ condition: (Element) -> Bool) -> [FoundElement] {
        device.withApp { app, now in
            let scene = app.reportedScene(now)
            return scene.elements.filter(condition).map { $0.found(in: scene) }
        }
    }

    func candidates(for selector: Command.ElementSelector, in bundleId: String?) throws -> [FoundElement] {
        let wanted = selector.value.lowercased()
        return matching { element in
            let texts: [String?] =
                switch selector.key {
                case .id: [element.id]
                case .label: [element.label]
                case .value: [element.value]
                case .text: [element.label, element.id, element.value]
                }
            return texts.contains { $0?.trimmed.lowercased() == wanted.trimmed }
        }
    }

    func elements(containing text: String, in bundleId: String?) throws -> [FoundElement] {
        let wanted = text.lowercased()
        return matching { element in
            [element.label, element.id, element.value].contains { $0?.lowercased().contains(wanted) == true }
        }
    }

    func elements(at point: Point, in bundleId: String?) throws -> [FoundElement] {
        matching { $0.bounds.containsHalfOpen(point) }
    }

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
