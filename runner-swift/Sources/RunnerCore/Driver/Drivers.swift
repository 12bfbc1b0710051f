/// A platform: everything that commands do to a device. XCTest is one; a simulated app is another.
public struct Drivers: Sendable {
    public var platform: Platform
    public var target: any TargetDriver
    public var elements: any ElementDriver
    public var gestures: any GestureDriver
    public var text: any TextDriver
    public var keyboard: any KeyboardDriver
    public var alerts: any AlertDriver
    public var screen: any ScreenDriver
    public var snapshots: any SnapshotSource

    public init(
        platform: Platform, target: any TargetDriver, elements: any ElementDriver, gestures: any GestureDriver,
        text: any TextDriver, keyboard: any KeyboardDriver, alerts: any AlertDriver, screen: any ScreenDriver,
        snapshots: any SnapshotSource
    ) {
        self.platform = platform
        self.target = target
        self.elements = elements
        self.gestures = gestures
        self.text = text
        self.keyboard = keyboard
        self.alerts = alerts
        self.screen = screen
        self.snapshots = snapshots
    }
}

/// Where trees come from. Called on the command queue: a source goes to the main thread in slices of its own.
public protocol SnapshotSource: Sendable {
    func backends(gate: MainThreadGate, memory: CaptureMemory) -> [any SnapshotBackend]
    /// Looks for a modal surface within so many seconds; nil where the platform has none to look for.
    func modalProbe(gate: MainThreadGate) -> ((Double) -> ModalProbe)?
}
