import XCTest

@testable import RunnerCore
@testable import RunnerSim

final class TextTests: XCTestCase {
    private let stage = Stage()

    @discardableResult
    private func type(_ text: String, _ id: String, _ mode: String? = "replace") -> Answer {
        var fields: [String: Any] = ["text": text, "selectorKey": "id", "selectorValue": id]
        fields["textEntryMode"] = mode
        return stage.send("type", fields)
    }

    private func value(_ id: String) -> String? {
        stage.send("snapshot").nodes.first { $0["identifier"] as? String == id }?["value"] as? String
    }

    func testReplacingClearsTypesAndVerifies() {
        stage.show(.login)
        XCTAssertEqual(type("old", "email")["textEntryVerification"], "verified")
        XCTAssertEqual(type("anna@example.org", "email")["textEntryVerification"], "verified")
        XCTAssertEqual(value("email"), "anna@example.org")
        XCTAssertEqual(type("5551234567", "phone")["textEntryVerification"], "reformatted")
        XCTAssertEqual(type("s3cret", "password")["textEntryVerification"], "unobserved")
        XCTAssertFalse(stage.events.contains { $0.contains("s3cret") })
    }

    func testAppendingKeepsWhatIsThere() {
        stage.show(.login)
        type("anna", "email")
        XCTAssertEqual(type("@example.org", "email", "append")["textEntryVerification"], "verified")
        XCTAssertEqual(value("email"), "anna@example.org")
    }

    func testKeysThatWereSwallowedAreTypedOnceMore() {
        stage.show(.login)
        stage.device.arm(.swallowKeys, 1)
        XCTAssertEqual(type("hello", "email")["message"], "typed after repair")
        XCTAssertEqual(value("email"), "hello")
        stage.device.arm(.swallowKeys, 2)
        XCTAssertEqual(type("world", "email").code, "TEXT_ENTRY_MISMATCH", "once and not again")
    }

    func testAnEmptyTextClearsAlsoWhatEqualsTheHint() {
        stage.show(.login)
        XCTAssertNil(type("", "city").error)
        XCTAssertEqual(stage.events.filter { !$0.hasSuffix("tap") }, ["city clear"])
        XCTAssertEqual(stage.send("type", ["text": "", "textEntryMode": "replace"]).error?["code"] as? String, nil)
    }

    func testTextThatEqualsTheHintIsTypedOnceAndNotSaidToHaveArrived() {
        stage.show(.login)
        XCTAssertEqual(type("City", "city").code, "TEXT_INPUT_COMMIT_NOT_OBSERVED")
        XCTAssertEqual(stage.events, ["city tap", "city tap", "city clear", "city text C", "city text City"])
    }

    func testAFieldThatDoesNotSayWhatItHoldsIsClearedAllTheSame() {
        stage.show(.login)
        type("old", "email")
        stage.device.arm(.muteFields, 1)
        XCTAssertEqual(type("new", "email")["textEntryVerification"], "unobserved")
        stage.device.clearFaults()
        XCTAssertEqual(value("email"), "new")
    }

    func testALongTextIsClearedCompletely() {
        stage.show(.longtext)
        XCTAssertNil(type("", "note").error)
        XCTAssertEqual(stage.events.last, "note clear")
        stage.show(.longtext)
        stage.device.arm(.refuseSynthesis, 1)
        XCTAssertNil(type("", "note").error, "by rounds of keys where all can't be selected")
        XCTAssertEqual(stage.events.last, "note clear")
    }

    func testWhatTakesNoTextIsRefusedWithoutATouch() {
        stage.show(.login)
        XCTAssertEqual(type("x", "sign-ins").code, "INVALID_TARGET")
        XCTAssertEqual(type("x", "nothing").code, "NO_MATCH")
        XCTAssertEqual(stage.send("type", ["text": "x"]).code, "TEXT_INPUT_NOT_FOCUSED")
        XCTAssertEqual(stage.events, [])
    }

    func testTheKeyboardIsDismissedByItsOwnControlAndTheReturnKeySends() {
        stage.show(.keyboard)
        XCTAssertEqual(stage.send("keyboardDismiss")["dismissed"], "0", "there is none")
        _ = stage.tap("field")
        let dismissed = stage.send("keyboardDismiss")
        XCTAssertEqual([dismissed["wasVisible"], dismissed["dismissed"], dismissed["visible"]], ["1", "1", "0"])
        XCTAssertEqual(dismissed["keyboardDismissMechanism"], "dismissKey")
        _ = stage.tap("field")
        XCTAssertEqual(stage.send("keyboardReturn")["visible"], "0")
        XCTAssertEqual(stage.events, ["field tap", "field tap"], "nothing beside the keyboard was touched")
    }
}

final class AlertTests: XCTestCase {
    private let stage = Stage()

    func testTheNextAlertOfAQueueIsAnAnswerAndIsNotAnswered() {
        stage.show(.alert)
        XCTAssertEqual(stage.send("alert").code, "ALERT_NOT_FOUND")
        _ = stage.tap("delete-two")
        XCTAssertEqual(stage.send("alert")["message"], "Delete item?")
        XCTAssertEqual(stage.send("alert", ["action": "accept"])["message"], "accepted")
        XCTAssertEqual(stage.send("alert")["message"], "Delete the next item?")
        XCTAssertEqual(stage.send("alert", ["action": "dismiss"])["message"], "dismissed")
        XCTAssertEqual(stage.events, ["delete-two tap", "delete-two alert", "delete-two alert"])
    }

    func testAnAlertThatStaysIsPressedOnceAndSaidToStay() {
        stage.show(.alert)
        _ = stage.tap("notice")
        stage.device.arm(.stubbornAlerts, 1)
        let start = stage.time.uptime
        let answer = stage.send("alert", ["action": "accept", "timeoutMs": 2000])
        XCTAssertEqual(answer.code, "ALERT_DEADLINE_EXCEEDED")
        XCTAssertEqual(stage.time.uptime - start, 2, accuracy: 0.3)
    }

    func testAPromptThatCantBeReadIsNotTakenForTheAppsAlert() {
        stage.show(.system)
        _ = stage.tap("ask-permission")
        stage.device.arm(.remoteAlerts, 1)
        XCTAssertEqual(stage.send("alert", ["action": "accept"]).code, "ALERT_NOT_FOUND")
        stage.device.clearFaults()
        XCTAssertNil(stage.send("alert", ["action": "accept"]).error)
        XCTAssertEqual(stage.events, ["ask-permission tap", "ask-permission alert"])
    }
}
