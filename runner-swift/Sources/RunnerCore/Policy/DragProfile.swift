/// How a pointer moves between two points. What UIKit makes of a stroke depends on its speed at the end, not on its length.
public enum DragProfile {
    /// A finger goes down and up at one place. In seconds.
    public static let tap = 0.05
    /// The time of a fling's way: this speed is what UIKit takes for a fling. In seconds.
    static let flingWay = 0.1
    static let frameMs = 16.0

    public static func tap(at point: Point, seconds: Double = tap) -> PointerMovements {
        PointerMovements([[.init(0, point), .init(seconds, point)]])
    }

    /// Reaches its end quickly, rests there and is lifted.
    public static func fastSwipe(from: Point, to: Point, holdMs: Double) -> PointerMovements {
        let hold = clamp(holdMs) / 1000
        return PointerMovements([[.init(0, from), .init(flingWay, to), .init(flingWay + hold, to)]])
    }

    /// Speeds up and slows down: no speed at either end, so nothing is flung.
    public static func continuousDrag(from: Point, to: Point, durationMs: Double) -> PointerMovements {
        let duration = clamp(durationMs)
        return stroke(from: from, to: to, durationMs: duration, frames: max(3, Int(duration / frameMs))) { $0 * $0 * (3 - 2 * $0) }
    }

    /// Slows down from the start, by a cubic ease-out: the content stops where the finger does. Resting at the end alone does
    /// not stop it reliably.
    public static func controlledScroll(from: Point, to: Point, durationMs: Double) -> PointerMovements {
        let duration = clamp(durationMs)
        let frames = min(30, max(3, Int((duration / frameMs).rounded(.up)) - 1))
        return stroke(from: from, to: to, durationMs: duration, frames: frames) { part in
            let rest = 1 - part
            return 1 - rest * rest * rest
        }
    }

    /// At an even pace, lifted while it moves: the content coasts on.
    public static func inertialScroll(from: Point, to: Point, durationMs: Double) -> PointerMovements {
        let duration = clamp(durationMs)
        return stroke(from: from, to: to, durationMs: duration, frames: max(3, Int(duration / frameMs))) { $0 }
    }

    /// The samples of a plan that was checked.
    public static func sampled(_ plan: Command.GestureRequest) -> PointerMovements {
        PointerMovements(plan.pointers.map { pointer in pointer.samples.map { .init($0.offsetMs / 1000, $0.point) } })
    }

    /// The movements that a plan means: its profile for one pointer, its samples for two.
    public static func movements(_ plan: Command.GestureRequest) -> PointerMovements {
        guard plan.pointers.count == 1, let first = plan.pointers[0].samples.first, let last = plan.pointers[0].samples.last,
            plan.executionProfile == GesturePlan.Profile.endpointHold.rawValue
        else { return sampled(plan) }
        return fastSwipe(from: first.point, to: last.point, holdMs: plan.durationMs)
    }

    /// How long the framework's own drag presses before it moves, in seconds, when it stands in for a swipe.
    public static func fallbackPress(durationMs: Double) -> Double { min(120, max(16, durationMs / 5)) / 1000 }
    /// The same for a plain drag.
    public static let plainPress = 0.05

    static func clamp(_ durationMs: Double) -> Double {
        durationMs.isFinite ? min(10_000, max(16, durationMs)) : 16
    }

    private static func stroke(
        from: Point, to: Point, durationMs: Double, frames: Int, ease: (Double) -> Double
    ) -> PointerMovements {
        PointerMovements([
            (0...frames).map { frame in
                let part = Double(frame) / Double(frames)
                let moved = ease(part)
                return .init(
                    durationMs / 1000 * part, Point(from.x + (to.x - from.x) * moved, from.y + (to.y - from.y) * moved))
            }
        ])
    }
}
