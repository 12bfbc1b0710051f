import RunnerCore

/// Alerts of the app and prompts of the system.
struct SimAlerts: AlertDriver {
    let device: SimDevice

    func alert(in bundleId: String?) throws -> AlertSighting {
        let isRemote = device.faults.contains { $0.0 == .remoteAlerts }
        return device.withApp { app, now in
            guard let ask = app.ask else { return .absent }
            if ask.isOfSystem, isRemote { return .unresolved }
            let scene = app.scene(now)
            guard let at = scene.elements.lastIndex(where: { $0.type == .alert }) else { return .absent }
            let inside = scene.elements.filter { $0.parent == at }
            return .found(FoundAlert(
                title: ask.message, texts: inside.filter { $0.type == .staticText }.compactMap(\.label),
                buttons: inside.filter { $0.type == .button && $0.isEnabled }.map { $0.found(in: scene) }))
        }
    }
}
