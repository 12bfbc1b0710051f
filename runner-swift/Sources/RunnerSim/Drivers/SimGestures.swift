import RunnerCore

/// Fingers on the fixture app.
struct SimGestures: GestureDriver {
    private static let tapSeconds = 0.05
    private static let betweenTaps = 0.1
    /// How fast XCTest drags, in points per second.
    private static let dragSpeed = 1000.0

    let device: SimDevice

    func referenceSize() throws -> Size { device.withApp { app, _ in app.viewport.size } }

    func synthesize(_ movements: PointerMovements, processId: Int32?) throws {
        if device.platform != .iOS || device.meet(.refuseSynthesis) != nil {
            throw SynthesisRefused("XCSynthesizedEventRecord is missing")
        }
        // A record that is addressed to another process than the one that is touched goes nowhere.
        let touched = device.withApp { app, _ in
            app.presence == .front && app.ask?.isOfSystem != true ? app.processId : SimTarget.launcherProcess
        }
        if let processId, processId != touched { return }
        device.touch(movements.pointers.map { $0.map { ($0.offset, $0.point) } })
    }

    func tap(_ point: Point, in bundleId: String?) throws { try press(point, seconds: Self.tapSeconds, in: bundleId) }

    func doubleTap(_ point: Point, in bundleId: String?) throws {
        try tap(point, in: bundleId)
        device.time.pause(Self.betweenTaps)
        try tap(point, in: bundleId)
    }

    func press(_ point: Point, seconds: Double, in bundleId: String?) throws {
        guard device.platform != .tvOS else { throw RunnerError(.unsupportedOperation, "tvOS has no touches") }
        device.touch([[(0, point), (seconds, point)]])
    }

    func click(_ button: Command.MouseButton, at point: Point, in bundleId: String?) throws {
        // The app has no context menus.
        if button == .primary { try tap(point, in: bundleId) }
    }

    func turnWheel(by delta: Size, at point: Point, in bundleId: String?) throws {
        device.act { app, now in app.turnWheel(by: delta.height, at: point, now: now) }
    }

    func press(_ button: Command.RemoteButton, seconds: Double?) throws {
        let seconds = seconds ?? Self.tapSeconds
        device.time.pause(seconds)
        device.act { app, now in app.press(button, seconds: seconds, now: now) }
    }

    func drag(from: Point, to: Point, pressSeconds: Double, in bundleId: String?) throws {
        let end = pressSeconds + from.distance(to: to) / Self.dragSpeed
        device.touch([[(0, from), (pressSeconds, from), (end, to)]])
    }
}
