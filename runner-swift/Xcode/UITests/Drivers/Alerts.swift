import Foundation
import RunnerCore
import XCTest

/// Alerts, wherever they are shown.
struct Alerts: AlertDriver {
    let apps: Apps

    /// A place that holds an alert, and the element that is it.
    private typealias Seen = (place: AlertSource.Place, root: XCUIElement)

    func alert(in bundleId: String?) throws -> AlertSighting {
        try guarded {
            let seen = systemAlerts() + remoteAlerts() + appAlerts(apps.app(bundleId))
            return switch AlertSource.choose(seen.map(\.place)) {
            case .absent: .absent
            case .unresolved: .unresolved
            case .place(let at): .found(read(seen[at].root))
            }
        }
    }

    @MainActor private func systemAlerts() -> [Seen] {
        guard let springboard = apps.springboard else { return [] }
        let window = Rect(springboard.frame)
        return (present(springboard.alerts) + present(springboard.sheets)).filter { element in
            window.containsHalfOpen(Rect(element.frame).center)
        }.map { (.system(hasActions: !buttons(of: $0).isEmpty), $0) }
    }

    /// Processes that show a prompt inside the system's surface.
    @MainActor private func remoteAlerts() -> [Seen] {
        guard apps.springboard != nil else { return [] }
        return AlertSource.remoteHosts.compactMap { host in
            let app = XCUIApplication(bundleIdentifier: host)
            return app.state == .runningForeground ? (.remoteHost(bundleId: host), app) : nil
        }
    }

    @MainActor private func appAlerts(_ app: XCUIApplication) -> [Seen] {
        let popups = app.windows.matching(NSPredicate(format: "identifier == %@", AlertSource.dismissPopup))
        let own: [Seen] = (present(app.alerts) + present(app.sheets)).map { (.app, $0) }
        return own + present(popups).map { (.dismissPopup, $0) }
    }

    @MainActor private func present(_ query: XCUIElementQuery) -> [XCUIElement] {
        query.allElementsBoundByIndex.filter(\.exists)
    }

    @MainActor private func buttons(of root: XCUIElement) -> [FoundElement] {
        let types = AlertChoice.actionable.map { "elementType == \($0.rawValue)" }.sorted().joined(separator: " OR ")
        let query = root.descendants(matching: .any).matching(NSPredicate(format: "(\(types)) AND isEnabled == true"))
        return query.allElementsBoundByIndex.compactMap { FoundElement($0) }
    }

    @MainActor private func read(_ root: XCUIElement) -> FoundAlert {
        let texts = root.staticTexts.allElementsBoundByIndex.map(\.label)
        let title = root.label.isEmpty ? texts.first ?? "" : root.label
        return FoundAlert(title: title, texts: texts, buttons: buttons(of: root))
    }
}
