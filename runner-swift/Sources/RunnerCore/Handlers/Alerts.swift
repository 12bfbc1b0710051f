extension CommandHandlers {
    /// How long an alert may take to be answered, in seconds.
    static let alertTimeout = 10.0

    func alert(_ action: Command.AlertAction, timeoutMs: Double?, started: Double) throws -> ReplyData {
        switch try drivers.alerts.alert(in: bundleId) {
        case .absent: throw RunnerError(.alertNotFound, "there is no alert")
        case .unresolved:
            throw RunnerError(
                .alertNotFound, "something modal is there, and its content can't be read",
                hint: "Its process is none of those that are known to show prompts.")
        case .found(let alert):
            if action == .get {
                var data = ReplyData(message: alert.title)
                data.items = alert.buttons.map { $0.attributes.label ?? "" }
                return data
            }
            let deadline = started + (timeoutMs.map { $0 / 1000 } ?? Self.alertTimeout)
            try answer(alert, action, until: deadline)
            return ReplyData(message: action == .accept ? "accepted" : "dismissed")
        }
    }

    /// Presses once, then looks until it is known what became of it.
    private func answer(_ alert: FoundAlert, _ action: Command.AlertAction, until deadline: Double) throws {
        let button = alert.buttons[try AlertChoice.button(action, among: alert.buttons.map(\.attributes))]
        try press(waitUntilHittable(button, until: deadline))
        let pressed = AlertPresentation(alert)
        while try AlertConfirmation(pressed: pressed, now: look(), isOver: time.uptime >= deadline) == .wait {
            time.pause(min(AlertConfirmation.poll, max(0, deadline - time.uptime)))
        }
    }

    /// The button as it is once a touch reaches it: alerts come up with an animation.
    private func waitUntilHittable(_ button: FoundElement, until deadline: Double) throws -> FoundElement {
        var button = button
        while !button.isHittable {
            guard time.uptime < deadline else {
                throw RunnerError(
                    .alertDeadlineExceeded, "the alert's button took no touch",
                    hint: "No button was pressed.")
            }
            time.pause(AlertConfirmation.hittablePoll)
            guard case .found(let alert) = try drivers.alerts.alert(in: bundleId),
                let now = alert.buttons.first(where: { $0.attributes.label == button.attributes.label })
            else { continue }
            button = now
        }
        return button
    }

    private func look() -> AlertConfirmation.Look {
        switch try? drivers.alerts.alert(in: bundleId) {
        case .absent: .absent
        case .found(let alert): .present(AlertPresentation(alert))
        case .unresolved, nil: .unreadable
        }
    }
}
