import XCTest

@testable import RunnerCore

final class AlertTests: XCTestCase {
    private func choose(_ action: Command.AlertAction, _ labels: [String]) -> String {
        let buttons = labels.map { NodeAttributes(.button, label: $0) }
        do {
            return labels[try AlertChoice.button(action, among: buttons)]
        } catch {
            XCTAssertEqual(error.code, .unsupportedOperation)
            return "refused"
        }
    }

    func testAButtonIsChosenByItsWords() {
        let table: [(Command.AlertAction, [String], String)] = [
            (.accept, ["Cancel", "OK"], "OK"), (.accept, ["OK", "Cancel"], "OK"), (.accept, ["Don’t Allow", "Allow"], "Allow"),
            (.accept, ["Don't Allow", "ALLOW "], "ALLOW "), (.accept, ["No", "Yes"], "Yes"), (.accept, ["Cancel", "Open"], "Open"),
            (.accept, ["Later", "Confirm payment"], "Confirm payment"), (.accept, ["Keep Browsing", "Open Settings"], "Open Settings"),
            (.accept, ["Allow Once", "Allow While Using App", "Don’t Allow"], "Allow While Using App"),
            (.accept, ["Cancel", "Delete"], "Delete"), (.accept, ["Delete"], "Delete"), (.accept, ["Cancel"], "refused"),
            (.accept, ["Archive", "Delete", "Cancel"], "refused"),
            (.accept, ["Allowance", "Refund", "Cancel"], "refused"), (.accept, [], "refused"),
            (.dismiss, ["Cancel", "Delete"], "Cancel"), (.dismiss, ["Delete", "Cancel"], "Cancel"),
            (.dismiss, ["Don’t Allow", "Allow"], "Don’t Allow"), (.dismiss, ["Not Now", "OK"], "Not Now"),
            (.dismiss, ["Keep Browsing", "Leave"], "Keep Browsing"), (.dismiss, ["Later", "Update"], "Later"),
            (.dismiss, ["OK"], "OK"), (.dismiss, ["Red", "Green"], "refused"), (.dismiss, ["Delete", "OK"], "refused"),
            (.dismiss, [], "refused"),
        ]
        for (action, labels, expected) in table { XCTAssertEqual(choose(action, labels), expected, "\(action) \(labels)") }
    }

    func testButtonsOfOtherLanguagesAreKnownInAnyOrder() {
        let table: [(String, String)] = [
            ("Nicht erlauben", "Erlauben"), ("Abbrechen", "OK"), ("Ne pas autoriser", "Autoriser"), ("Annuler", "Continuer"),
            ("No permitir", "Permitir"), ("Cancelar", "Aceptar"), ("Non consentire", "Consenti"), ("Não permitir", "Permitir"),
            ("Sta niet toe", "Sta toe"), ("Запретить", "Разрешить"), ("Anuluj", "Dalej"), ("İzin Verme", "İzin Ver"),
            ("許可しない", "許可"), ("キャンセル", "OK"), ("不允许", "允许"), ("取消", "好"), ("不允許", "允許"), ("허용 안 함", "허용"),
            ("취소", "확인"), ("عدم السماح", "السماح"), ("ביטול", "אישור"),
        ]
        for (dismiss, accept) in table {
            for labels in [[dismiss, accept], [accept, dismiss]] {
                XCTAssertEqual(choose(.accept, labels), accept)
                XCTAssertEqual(choose(.dismiss, labels), dismiss)
            }
        }
    }

    func testAWordMeansOneThing() {
        XCTAssertEqual(Set(AlertLabels.accept).intersection(AlertLabels.dismiss), [])
        for word in AlertLabels.accept + AlertLabels.dismiss { XCTAssertEqual(AlertLabels.normalize(word), word, "never matched") }
        XCTAssertEqual(AlertLabels.normalize("\u{202D}Don\u{2019}t\u{00A0} ALLOW\u{202C} "), "don't allow")
    }

    func testOnlyEnabledElementsThatCanBePressedCount() throws {
        let buttons = [
            NodeAttributes(.button, label: "OK", isEnabled: false), NodeAttributes(.staticText, label: "Allow"),
            NodeAttributes(.cell, label: "Yes"), NodeAttributes(.image, label: "Continue"),
        ]
        XCTAssertEqual(try AlertChoice.button(.accept, among: buttons), 2)
        for type: ElementType in [.button, .cell, .link, .menuItem, .checkBox, .switch] {
            XCTAssertEqual(try AlertChoice.button(.accept, among: [NodeAttributes(type, label: "Delete")]), 0)
        }
    }

    func testARefusalNamesTheButtonsThatAreThere() {
        do {
            _ = try AlertChoice.button(.dismiss, among: [NodeAttributes(.button, label: "Red"), NodeAttributes(.button, label: "Green")])
            XCTFail("guessed")
        } catch {
            XCTAssertTrue(error.message.contains("dismiss button not found"))
            XCTAssertTrue(error.hint?.contains("'Red', 'Green'") ?? false)
        }
    }

    private let alert = AlertPresentation(title: "Delete item?", texts: ["It is gone for good."], buttons: ["Cancel", "Delete"])

    private func confirm(_ look: AlertConfirmation.Look, isOver: Bool) -> String {
        do {
            return "\(try AlertConfirmation(pressed: alert, now: look, isOver: isOver))"
        } catch {
            return error.code.rawValue
        }
    }

    func testAnAlertIsAnsweredWhenItIsGoneOrAnotherOneIsThere() {
        var next = alert
        next.texts = ["Another one."]
        let table: [(AlertConfirmation.Look, Bool, String)] = [
            (.absent, false, "answered"), (.absent, true, "answered"), (.present(next), false, "answered"),
            (.present(next), true, "answered"), (.present(alert), false, "wait"), (.present(alert), true, "ALERT_DEADLINE_EXCEEDED"),
            (.unreadable, false, "wait"), (.unreadable, true, "ALERT_CONFIRMATION_UNAVAILABLE"),
        ]
        for (look, isOver, expected) in table { XCTAssertEqual(confirm(look, isOver: isOver), expected, "\(look)") }
    }

    func testAlertsOfTheSystemComeFirstAndAnUnreadableOneHidesTheApps() {
        let table: [(String, [AlertSource.Place], AlertSource.Choice)] = [
            ("nothing", [], .absent), ("the app's", [.app], .place(0)), ("a window that closes", [.dismissPopup], .place(0)),
            ("the app's before such a window", [.dismissPopup, .app], .place(1)),
            ("the system's before the app's", [.app, .system(hasActions: true)], .place(1)),
            ("another process's", [.app, .system(hasActions: false)], .unresolved),
            (
                "a known process's", [.app, .system(hasActions: false), .remoteHost(bundleId: "com.apple.AccessorySetupUI")], .place(2)
            ),
            (
                "the contacts prompt",
                [.system(hasActions: false), .remoteHost(bundleId: "com.apple.ContactsUI.LimitedAccessPromptView")], .place(1)
            ),
            ("a process that shows no prompts", [.system(hasActions: false), .remoteHost(bundleId: "com.example")], .unresolved),
        ]
        for (name, places, expected) in table { XCTAssertEqual(AlertSource.choose(places), expected, name) }
    }
}
