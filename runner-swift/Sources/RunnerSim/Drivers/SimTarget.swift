import RunnerCore

/// Apps: the fixture app and what is in front when it is not.
struct SimTarget: TargetDriver {
    static let launcherProcess: Int32 = 50
    let device: SimDevice

    func state(of bundleId: String?) -> AppState {
        device.withApp { app, _ in
            switch (bundleId, app.presence) {
            case (App.launcher, .front): .runningBackground
            case (App.launcher, _): .runningForeground
            case (App.bundleId, .front): .runningForeground
            case (App.bundleId, .back): .runningBackground
            default: .notRunning
            }
        }
    }

    func processId(of bundleId: String?) -> Int32? {
        if bundleId == App.launcher { return Self.launcherProcess }
        return device.withApp { app, _ in bundleId == App.bundleId && app.presence != .stopped ? app.processId : nil }
    }

    func activate(_ bundleId: String?) throws {
        guard bundleId == App.bundleId || bundleId == App.launcher else {
            throw RunnerError(.commandFailed, bundleId.map { "app '\($0)' is not available" } ?? "runner app is not available")
        }
        device.act { app, now in bundleId == App.bundleId ? app.activate(by: "", now: now) : app.goHome() }
    }

    func terminate(_ bundleId: String) throws {
        guard bundleId == App.bundleId else { throw RunnerError(.commandFailed, "app '\(bundleId)' is not available") }
        device.act { app, _ in app.terminate() }
    }

    func surfaceInFront() -> SystemSurface? {
        guard device.platform == .iOS, device.faults.contains(where: { $0.0 == .systemSurface }) else { return nil }
        return SystemSurface(bundleId: "com.apple.SafariViewService", kind: "web-auth")
    }

    var promptProcess: Int32? { Self.launcherProcess }

    func forgetHandles() { device.forgetHandles() }
}
