/// Every command of the wire. Raw values are sent by hosts.
public enum CommandName: String, CaseIterable, Sendable {
    case tap, mouseClick, longPress, drag, scroll, desktopScroll, swipe, remotePress
    case gesture, gestureViewport, sequence
    case type, findText, querySelector, readText
    case snapshot, screenshot
    case back, backInApp, backSystem, home, appSwitcher, actionButton
    case rotate, keyboardDismiss, keyboardReturn, alert
    case recordStart, recordStop
    case activate, terminate, appState, targetReset
    case status, uptime, shutdown
}

/// What the session has to know of a command before it runs it.
public struct CommandTraits: Sendable, Equatable {
    /// What it does to the app.
    public enum Effect: Sendable {
        case reads
        case interacts
        /// About the runner or the life of the app, not about what is on the screen.
        case lifecycle
        /// Acts on the device, or past the app's accessibility.
        case acts
    }

    /// Where the work runs.
    public enum Place: Sendable {
        /// Answered on the connection's own thread, so that it is answered whatever the main thread does.
        case connection
        /// Queued, but in slices of its own on the main thread, or without it.
        case queue
        /// Queued, and as a whole on the main thread, within the budget.
        case main
    }

    public var effect: Effect
    public var place: Place = .main
    /// Whether it is about an app, which is brought forward for it.
    public var needsApp = true
    /// Its reply is too large to be kept.
    public var hasLargeReply = false

    /// Whether it may be sent again after the target was lost under it.
    public var isRead: Bool { effect == .reads }
}

extension CommandName {
    /// One row for each command. `alert` depends on its action: see `Command.traits`.
    public var traits: CommandTraits {
        switch self {
        case .status, .uptime: CommandTraits(effect: .lifecycle, place: .connection, needsApp: false)
        case .shutdown: CommandTraits(effect: .lifecycle, place: .queue, needsApp: false)
        case .targetReset, .terminate, .recordStop: CommandTraits(effect: .lifecycle, needsApp: false)
        case .snapshot: CommandTraits(effect: .reads, place: .queue, hasLargeReply: true)
        case .screenshot: CommandTraits(effect: .reads, needsApp: false, hasLargeReply: true)
        case .appState: CommandTraits(effect: .reads, needsApp: false)
        case .findText, .querySelector, .readText, .gestureViewport: CommandTraits(effect: .reads)
        case .home, .actionButton: CommandTraits(effect: .acts, needsApp: false)
        case .mouseClick, .recordStart, .activate: CommandTraits(effect: .acts)
        case .tap, .longPress, .drag, .scroll, .desktopScroll, .swipe, .remotePress, .gesture, .sequence, .type, .back, .backInApp,
            .backSystem, .appSwitcher, .rotate, .keyboardDismiss, .keyboardReturn, .alert:
            CommandTraits(effect: .interacts)
        }
    }
}
