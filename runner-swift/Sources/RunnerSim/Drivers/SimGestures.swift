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
        if device.meet(.refuseSynthesis) != nil { throw SynthesisRefused("XCSynthesizedEventRecord is missing") }
        device.touch(movements.pointers.map { $0.map { ($0.offset, $0.point) } })
    }

    func tap(_ point: Point, in bundleId: String?) throws { try press(point, seconds: Self.tapSeconds, in: bundleId) }

    func doubleTap(_ point: Point, in bundleId: String?) throws {
        try tap(point, in: bundleId)
        device.time.pause(Self.betweenTaps)
        try tap(point, in: bundleId)
    }

    func press(_ point: Point, seconds: Double, in bundleId: String?) throws {
        device.touch([[(0, point), (seconds, point)]])
    }

    func drag(from: Point, to: Point, pressSeconds: Double, in bundleId: String?) throws {
        let end = pressSeconds + from.distance(to: to) / Self.dragSpeed
        device.touch([[(0, from), (pressSeconds, from), (end, to)]])
    }
}
