/// Which button of an alert answers it.
public enum AlertChoice {
    /// The types that are pressed.
    public static let actionable: Set<ElementType> = [.button, .cell, .link, .menuItem, .checkBox, .switch]

    /// The button to press, among the alert's enabled ones.
    ///
    /// A button is chosen by its words, in the order of the list. Without a known word the only button answers, unless it is known
    /// to mean the opposite; beside buttons that are known to dismiss, the only other one accepts ("Cancel", "Delete"). Several
    /// unknown buttons are never guessed at: the wrong one can't be taken back.
    public static func button(
        _ action: Command.AlertAction, among buttons: [NodeAttributes]
    ) throws(RunnerError) -> Int {
        let enabled = buttons.indices.filter { buttons[$0].isEnabled && actionable.contains(buttons[$0].type) }
        let labels = enabled.map { AlertLabels.normalize(buttons[$0].label ?? "") }
        let (wanted, opposite) =
            action == .dismiss ? (AlertLabels.dismiss, AlertLabels.accept) : (AlertLabels.accept, AlertLabels.dismiss)
        for word in wanted {
            if let at = labels.firstIndex(of: word) { return enabled[at] }
        }
        let isPrefixed = { (label: String) in AlertLabels.acceptPrefixes.contains { label.hasPrefix($0) } }
        if action == .accept, let at = labels.firstIndex(where: isPrefixed) { return enabled[at] }
        // A single button is the only way on, whatever it says: also "OK" for who wants to dismiss.
        if enabled.count == 1, action == .dismiss || !opposite.contains(labels[0]) { return enabled[0] }
        let others = enabled.indices.filter { !opposite.contains(labels[$0]) }
        if action == .accept, others.count == 1 { return enabled[others[0]] }
        let names = enabled.map { "'\(buttons[$0].label ?? "")'" }.joined(separator: ", ")
        throw RunnerError(
            .unsupportedOperation, "alert \(action.rawValue) button not found",
            hint: "Nothing was pressed. Press the button that you mean: \(names).")
    }
}

/// An alert as far as two looks at it can be compared.
public struct AlertPresentation: Equatable, Sendable {
    public var title: String
    public var texts: [String]
    /// Labels in the order of the screen.
    public var buttons: [String]

    public init(title: String, texts: [String], buttons: [String]) {
        self.title = title
        self.texts = texts
        self.buttons = buttons
    }

    public init(_ alert: FoundAlert) {
        self.init(title: alert.title, texts: alert.texts, buttons: alert.buttons.map { $0.attributes.label ?? "" })
    }
}

/// What a look at the screen says about an alert whose button was pressed.
public enum AlertConfirmation: Equatable, Sendable {
    /// It is gone, or the next one of a queue is there.
    case answered
    /// It is still there: look again.
    case wait

    /// How often it is looked at, in seconds.
    public static let poll = 0.2
    /// How often a button is looked at until a press can reach it, in seconds.
    public static let hittablePoll = 0.1

    /// What the look showed.
    public enum Look: Equatable, Sendable {
        case absent
        case present(AlertPresentation)
        /// Something modal is there and can't be read.
        case unreadable
    }

    /// - Throws: `ALERT_DEADLINE_EXCEEDED` when the time has ended with the alert unchanged, `ALERT_CONFIRMATION_UNAVAILABLE` when
    ///   it ended with nothing readable. The button was pressed.
    public init(pressed: AlertPresentation, now look: Look, isOver: Bool) throws(RunnerError) {
        switch look {
        case .absent: self = .answered
        case .present(let alert) where alert != pressed: self = .answered
        case .present where isOver:
            throw RunnerError(
                .alertDeadlineExceeded, "the alert did not change",
                hint: "A button was pressed. Look at the screen before you press again.")
        case .unreadable where isOver:
            throw RunnerError(
                .alertConfirmationUnavailable, "the alert could not be read after the press",
                hint: "A button was pressed. Look at the screen before you press again.")
        case .present, .unreadable: self = .wait
        }
    }
}

/// Where alerts are looked for, and in what order.
public enum AlertSource {
    /// Processes that show a prompt of their own inside the system's modal surface.
    public static let remoteHosts = ["com.apple.AccessorySetupUI", "com.apple.ContactsUI.LimitedAccessPromptView"]
    /// The identifier of a Mac's and iPad's windows that close at a touch outside.
    public static let dismissPopup = "dismiss popup"

    /// A place that may hold an alert.
    public enum Place: Equatable, Sendable {
        case system(hasActions: Bool)
        case remoteHost(bundleId: String)
        case app
        case dismissPopup
    }

    /// What to take: the system's first, because it lies over the app. One without anything to press belongs to another process;
    /// when no known one is in front it can't be resolved, and the app's own alerts below it can't be reached.
    public enum Choice: Equatable, Sendable {
        case absent
        case unresolved
        case place(Int)
    }

    /// - Parameter places: what was seen, in any order.
    public static func choose(_ places: [Place]) -> Choice {
        if let system = places.firstIndex(where: { if case .system = $0 { true } else { false } }) {
            if places[system] == .system(hasActions: true) { return .place(system) }
            let remote = places.firstIndex { place in
                if case .remoteHost(let bundleId) = place { remoteHosts.contains(bundleId) } else { false }
            }
            return remote.map { .place($0) } ?? .unresolved
        }
        let app = places.firstIndex(of: .app) ?? places.firstIndex(of: .dismissPopup)
        return app.map { .place($0) } ?? .absent
    }
}
