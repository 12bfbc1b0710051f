/// Waits until a rotation can be seen. That it was set says nothing: an app that doesn't turn keeps its orientation.
public enum OrientationWatch: Equatable, Sendable {
    case observed
    case wait

    /// In seconds.
    public static let poll = 0.05
    public static let limit = 2.0

    /// - Throws: `COMMAND_FAILED` with what was observed when the time has ended. The orientation was set.
    public init(
        wanted: InterfaceOrientation, observed: InterfaceOrientation, elapsed: Double
    ) throws(RunnerError) {
        if observed == wanted {
            self = .observed
        } else if elapsed < Self.limit {
            self = .wait
        } else {
            throw RunnerError(
                .commandFailed, "the orientation is \(observed.name) and not \(wanted.name)",
                hint: "The app may not support it.")
        }
    }

    /// Whether the platform can be turned at all.
    public static func isSupported(on platform: Platform) -> Bool { platform == .iOS }
}
