import XCTest

@testable import RunnerCore

final class TextVerificationTests: XCTestCase {
    private struct Case: Decodable {
        var name: String
        var wanted: String
        var observed: String?
        var multiline: Bool?
        var result: String
    }

    private let results: [String: TextVerification] = [
        "verified": .verified, "reformatted": .reformatted, "unobserved": .unobserved, "mismatch": .mismatch,
    ]

    func testAFieldIsJudgedByWhatItHoldsNotByWhatWasSent() throws {
        for test in try Fixture.load("text-verification", as: Cases<Case>.self).cases {
            let observed = test.observed.map { FieldValue.text($0) } ?? .unreadable
            XCTAssertEqual(
                TextVerification(wanted: test.wanted, observed: observed, isMultiline: test.multiline ?? false),
                results[test.result], test.name)
        }
    }

    func testAValueThatIsTheHintIsEmpty() {
        func value(_ value: String?, hint: String? = nil, _ type: ElementType = .textField) -> FieldValue {
            FieldValue(NodeAttributes(type, value: value, placeholder: hint))
        }
        XCTAssertEqual(value("City", hint: "City"), .text(""))
        XCTAssertEqual(value(" City ", hint: "City\n"), .text(""))
        XCTAssertEqual(value("Paris", hint: "City"), .text("Paris"))
        XCTAssertEqual(value("Text input field"), .text(""))
        XCTAssertEqual(value(""), .text(""))
        XCTAssertEqual(value(" ", hint: " "), .text(" "), "a blank hint is none")
        XCTAssertEqual(value(nil), .unreadable, "absent is not empty")
        XCTAssertEqual(FieldValue(nil), .unreadable)
    }

    func testASecretFieldSaysOnlyWhetherItIsEmpty() {
        func secret(_ value: String?) -> FieldValue {
            FieldValue(NodeAttributes(.secureTextField, value: value, placeholder: "Password"))
        }
        XCTAssertEqual(secret("••••"), .concealed(isEmpty: false))
        XCTAssertEqual(secret("Password"), .concealed(isEmpty: true))
        XCTAssertEqual(secret(nil), .unreadable)
        XCTAssertEqual(TextVerification(wanted: "1234", observed: secret("••••")), .unobserved)
        XCTAssertEqual(TextVerification(wanted: "1234", observed: secret("")), .unobserved)
        XCTAssertEqual(TextVerification(wanted: "", observed: secret("")), .verified)
        XCTAssertEqual(TextVerification(wanted: "", observed: secret("••••")), .mismatch)
    }
}

final class TextEntryTests: XCTestCase {
    func testTheFirstCharacterIsTypedAloneAndWithADelayEachOne() {
        XCTAssertEqual(TextEntry.parts("hello", hasDelay: false), ["h", "ello"])
        XCTAssertEqual(TextEntry.parts("👍🏽 ok", hasDelay: false), ["👍🏽", " ok"], "a character, not a part of one")
        XCTAssertEqual(TextEntry.parts("h", hasDelay: false), ["h"])
        XCTAssertEqual(TextEntry.parts("", hasDelay: false), [])
        XCTAssertEqual(TextEntry.parts("abc", hasDelay: true), ["a", "b", "c"])
    }

    func testThereIsOneRepairForAReplacementAndForFewDroppedCharacters() {
        let table: [(Command.TypeText.Mode, String, String, Bool)] = [
            (.replace, "hello", "x", true), (.replace, "hello", "", true),
            (.append, "hello", "helo", true), (.append, "hello", "hlo", true), (.append, "hello", "ho", false),
            (.append, "hello", "", false), (.append, "hello", "hello!", false), (.append, "hello", "hexlo", false),
            (.append, "hello", "oleh", false),
            (.append, String(repeating: "a", count: 40), String(repeating: "a", count: 30), true),
            (.append, String(repeating: "a", count: 40), String(repeating: "a", count: 29), false),
        ]
        for (mode, wanted, observed, isAllowed) in table {
            XCTAssertEqual(
                TextRepair.isAllowed(mode: mode, wanted: wanted, observed: observed), isAllowed, "\(mode) \(wanted) \(observed)")
        }
    }

    func testAFieldIsClearedByAsManyKeysAsItMayNeed() {
        let table: [(FieldValue, Int)] = [
            (.text(""), 0), (.text("a"), 24), (.text(String(repeating: "a", count: 16)), 24),
            (.text(String(repeating: "a", count: 17)), 25), (.text(String(repeating: "a", count: 5_000)), 120), (.unreadable, 24),
            (.concealed(isEmpty: false), 24), (.concealed(isEmpty: true), 0),
        ]
        for (value, count) in table { XCTAssertEqual(TextClear.deletes(for: value), count, "\(value)") }
    }

    func testClearingALongTextGoesOnWhileItGetsShorter() {
        XCTAssertTrue(TextClear.shouldGoOn(before: .text("hello"), after: .text("he")))
        XCTAssertFalse(TextClear.shouldGoOn(before: .text("hello"), after: .text("hello")), "it doesn't help")
        XCTAssertFalse(TextClear.shouldGoOn(before: .text("hello"), after: .text("")))
        XCTAssertFalse(TextClear.shouldGoOn(before: .text("hello"), after: .unreadable))
        XCTAssertEqual(TextClear.caret(in: Rect(10, 20, 200, 40)), Point(206, 40))
        XCTAssertEqual(TextClear.caret(in: Rect(10, 20, 2, 40)), Point(10, 40))
    }

    private func route(_ situation: TextRoute.Situation) -> String {
        do {
            return try TextRoute(situation).rawValue
        } catch {
            return error.code.rawValue
        }
    }

    func testTextTakesTheWayThatSomethingSpeaksFor() {
        let table: [(String, TextRoute.Situation, String)] = [
            ("a field", .init(hasTarget: true), "xctest-element"),
            ("a field, with a keyboard", .init(hasTarget: true, isKeyboardVisible: true), "xctest-element"),
            ("only a keyboard", .init(isKeyboardVisible: true), "xctest-application-fallback"),
            ("a hidden keyboard and the field of the last tap", .init(hasWitness: true), "synthesized-first-responder"),
            (
                "slow accessibility and a point", .init(mode: .replace, hasPoint: true, hasTarget: true, isPenalised: true),
                "synthesized-first-responder-replacement"
            ),
            ("appending has to read", .init(mode: .append, hasPoint: true, hasTarget: true, isPenalised: true), "xctest-element"),
            (
                "without private events", .init(mode: .replace, hasPoint: true, hasTarget: true, isPenalised: true, canSynthesize: false),
                "xctest-element"
            ),
            ("nothing", .init(), "TEXT_INPUT_NOT_FOCUSED"),
            ("nothing to clear", .init(mode: .replace), "TEXT_INPUT_NOT_FOCUSED"),
            (
                "a hidden keyboard without private events", .init(hasWitness: true, canSynthesize: false),
                "TEXT_INPUT_SYNTHESIS_UNAVAILABLE"
            ),
        ]
        for (name, situation, expected) in table { XCTAssertEqual(route(situation), expected, name) }
    }

    func testTheTapOfAFieldSpeaksForItWhileItsProcessLives() {
        let target = CaptureTarget(bundleId: "a", pid: 1)
        let field = NodeAttributes(.textField, identifier: "email")
        let witness = TapWitness(target: target, field: field)
        XCTAssertEqual(witness?.field, field)
        XCTAssertTrue(witness?.holds(for: target) ?? false)
        XCTAssertFalse(witness?.holds(for: CaptureTarget(bundleId: "a", pid: 2)) ?? true)
        XCTAssertFalse(witness?.holds(for: CaptureTarget(bundleId: "b", pid: 1)) ?? true)
        let unknown = CaptureTarget(bundleId: "a")
        XCTAssertFalse(TapWitness(target: unknown, field: field)?.holds(for: unknown) ?? true, "which process is not known")
        XCTAssertNil(TapWitness(target: target, field: NodeAttributes(.button)))
        XCTAssertNil(TapWitness(target: target, field: nil))
    }

    // MARK: Commit watch

    private func watch(_ wanted: String, _ looks: [(Double, FieldValue)], placeholder: String? = nil) -> [TextCommitWatch.Verdict] {
        var watch = TextCommitWatch(wanted: wanted, startedAt: 100)
        return looks.map { watch.look($0.1, placeholder: placeholder, at: 100 + $0.0) }
    }

    func testPostedTextIsCommittedWhenTheFieldHoldsIt() {
        XCTAssertEqual(watch("hello", [(0, .text("")), (0.2, .text("he")), (0.4, .text("hello"))]), [.wait, .wait, .committed])
        XCTAssertEqual(watch("5551234567", [(0, .text("(555) 123-4567"))]), [.committed])
    }

    func testAFieldThatStaysEmptyForThreeSecondsHasNotCommitted() {
        XCTAssertEqual(watch("hello", [(2.9, .text("")), (3, .text(""))]), [.wait, .notObserved])
        XCTAssertEqual(watch("hello", [(3, .unreadable)]), [.notObserved])
    }

    func testAGrowingPrefixExtendsTheWaitUpToTenSeconds() {
        let long = String(repeating: "a", count: 100)
        func part(_ count: Int) -> FieldValue { .text(String(repeating: "a", count: count)) }
        XCTAssertEqual(
            watch(long, [(2, part(10)), (4, part(20)), (6.9, part(30)), (9.8, part(40)), (10, part(50))]),
            [.wait, .wait, .wait, .wait, .notObserved])
        XCTAssertEqual(watch(long, [(2, part(10)), (4, part(10)), (5, part(10))]), [.wait, .wait, .notObserved], "it stalls")
        XCTAssertEqual(watch(long, [(2, part(10)), (3, part(5)), (5, part(8))]), [.wait, .wait, .notObserved], "it shrinks")
        XCTAssertEqual(watch("hello", [(2, .text("x")), (3, .text("xy"))]), [.wait, .notObserved], "another text is no progress")
    }

    func testTextThatEqualsTheHintCantBeConfirmed() {
        XCTAssertEqual(watch("City", [(0, .text("")), (3, .text(""))], placeholder: "City"), [.wait, .notObserved])
        XCTAssertEqual(watch("City", [(1, .text("City")), (4, .text("City"))], placeholder: " City"), [.wait, .notObserved])
        XCTAssertEqual(TextCommitWatch.error.code, .textInputCommitNotObserved)
    }
}
