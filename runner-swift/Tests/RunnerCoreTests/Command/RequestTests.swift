import XCTest

@testable import RunnerCore

final class RequestTests: XCTestCase {
    private func command(_ json: String) throws -> Command { try Request(parsing: Array(json.utf8)).command() }

    private func refusal(_ json: String) -> String? {
        do {
            _ = try command(json)
            return nil
        } catch {
            guard let error = error as? RunnerError, error.code == .invalidArguments else { return "\(error)" }
            return error.message
        }
    }

    /// What hosts send, as they send it.
    func testRequestsOfHostsAreUnderstood() throws {
        let app = #""appBundleId":"a.b","commandId":" id-1 ""#
        let table: [(String, Command)] = [
            (#"{"command":"tap","x":1.5,"y":2,"synthesized":true,\#(app)}"#,
                .tap(.init(selector: nil, point: Point(1.5, 2), isSynthesized: true, allowsNonHittable: false, inspectsPoint: true))),
            (#"{"command":"tap","selectorKey":"id","selectorValue":"x","allowNonHittableCoordinateFallback":true}"#,
                .tap(.init(
                    selector: .init(key: .id, value: "x"), point: nil, isSynthesized: false, allowsNonHittable: true,
                    inspectsPoint: true))),
            (#"{"command":"type","x":1,"y":2,"text":"hi","delayMs":0,"textEntryMode":"replace"}"#,
                .type(.init(
                    text: "hi", selector: nil, point: Point(1, 2), delayMs: 0, mode: .replace, allowsNonHittable: false))),
            (#"{"command":"type","text":"\n"}"#,
                .type(.init(text: "\n", selector: nil, point: nil, delayMs: 0, mode: nil, allowsNonHittable: false))),
            (#"{"command":"scroll","direction":"down","amount":0.65,"durationMs":400,"scrollReleaseBehavior":"controlled"}"#,
                .scroll(.init(direction: .down, distance: .amount(0.65), durationMs: 400, release: .controlled))),
            (#"{"command":"scroll","direction":"up","pixels":120,"scrollReleaseBehavior":"inertial"}"#,
                .scroll(.init(direction: .up, distance: .pixels(120), durationMs: nil, release: .inertial))),
            (#"{"command":"scroll","direction":"left"}"#,
                .scroll(.init(direction: .left, distance: .amount(0.65), durationMs: nil, release: .controlled))),
            (#"{"command":"desktopScroll","direction":"left"}"#,
                .desktopScroll(.init(direction: .left, distance: .amount(0.6), durationMs: nil, release: .controlled))),
            (#"{"command":"snapshot","interactiveOnly":true,"depth":1,"scope":" List ","unknown":[1]}"#,
                .snapshot(.init(
                    interactiveOnly: true, depth: 1, scope: "List", raw: false, preferredBackend: nil, customActions: false))),
            (#"{"command":"sequence","steps":[{"kind":"doubleTap","x":1,"y":2,"pauseMs":5}]}"#,
                .sequence([.init(kind: .doubleTap, point: Point(1, 2), durationMs: nil, pauseMs: 5, isSynthesized: false)])),
            (#"{"command":"longPress","x":1,"y":2}"#, .longPress(Point(1, 2), durationMs: 800)),
            (#"{"command":"drag","x":1,"y":2,"x2":3,"y2":4}"#,
                .drag(.init(from: Point(1, 2), to: Point(3, 4), durationMs: 250, isSynthesized: false))),
            (#"{"command":"alert"}"#, .alert(.get, timeoutMs: nil)),
            (#"{"command":"screenshot","inlineScreenshot":null}"#, .screenshot(fullscreen: false, inline: false)),
            (#"{"command":"rotate","orientation":"landscape-left"}"#, .rotate(.landscapeLeft)),
            (#"{"command":"status","statusCommandId":"a"}"#, .status(of: "a")),
            (#"{"command":"remotePress","remoteButton":"menu"}"#, .remotePress(.menu, durationMs: nil)),
            (#"{"command":"home"}"#, .plain(.home)),
        ]
        for (json, expected) in table { XCTAssertEqual(try command(json), expected, json) }
        let request = try Request(parsing: Array(table[0].0.utf8))
        XCTAssertEqual([request.id, request.appBundleId], ["id-1", "a.b"])
    }

    func testEveryRefusalNamesItsField() {
        let plan = { (pointers: String) in
            #"{"command":"gesture","gesturePlan":{"topology":"single","intent":"pan","durationMs":100,"#
                + #""viewport":{"x":0,"y":0,"width":9,"height":9},"pointers":\#(pointers)}}"#
        }
        let table: [(String, String)] = [
            (#"{}"#, "command is missing"), (#"{"command":7}"#, "command must be a string"),
            (#"{"command":"tap","x":"1","y":2}"#, "x must be a number"), (#"{"command":"tap","x":1}"#, "y is missing"),
            (#"{"command":"tap","x":true,"y":2}"#, "x must be a number"),
            (#"{"command":"tap","x":1,"y":2,"synthesized":1}"#, "synthesized must be true or false"),
            (#"{"command":"tap","selectorKey":"name","selectorValue":"x"}"#, "selectorKey must be one of id, label, value, text"),
            (#"{"command":"tap","selectorValue":"x"}"#, "selectorKey is missing"),
            (#"{"command":"tap","selectorKey":"id"}"#, "selectorValue is missing"),
            (#"{"command":"tap"}"#, "x or selectorKey has to say what is tapped"),
            (#"{"command":"longPress","x":1,"y":1,"durationMs":-1}"#, "durationMs must be from 0 to 10000"),
            (#"{"command":"scroll","amount":1}"#, "direction is missing"),
            (#"{"command":"scroll","direction":"sideways"}"#, "direction must be one of up, down, left, right"),
            (#"{"command":"scroll","direction":"up","amount":-1}"#, "amount must be from 0 to 100"),
            (#"{"command":"type"}"#, "text is missing"),
            (#"{"command":"type","text":"x","textEntryMode":"insert"}"#, "textEntryMode must be one of append, replace"),
            (#"{"command":"snapshot","depth":1.5}"#, "depth must be a whole number"),
            (#"{"command":"snapshot","depth":-1}"#, "depth must be from 0 to 10000"),
            (#"{"command":"sequence","steps":[]}"#, "steps must have from 1 to 20 entries"),
            (#"{"command":"sequence","steps":{}}"#, "steps must be a list of objects"),
            (#"{"command":"sequence","steps":[{"kind":"tap","x":1,"y":1},{"kind":"tap","x":1}]}"#, "steps[1].y is missing"),
            (#"{"command":"sequence","steps":[7]}"#, "steps must be a list of objects"),
            (#"{"command":"alert","action":"wait"}"#, "action must be one of get, accept, dismiss"),
            (#"{"command":"alert","timeoutMs":0}"#, "timeoutMs must be from 1 to 600000"),
            (#"{"command":"rotate"}"#, "orientation is missing"), (#"{"command":"rotate","orientation":"up"}"#, "orientation is no orientation"),
            (#"{"command":"recordStart","outPath":"a","fps":121}"#, "fps must be from 1 to 120"),
            (#"{"command":"status","statusCommandId":" "}"#, "statusCommandId is missing"),
            (#"{"command":"terminate"}"#, "appBundleId is missing"), (#"{"command":"appState"}"#, "appBundleId is missing"),
            (#"{"command":"gesture"}"#, "gesturePlan is missing"), (#"{"command":"gesture","gesturePlan":[]}"#, "gesturePlan must be an object"),
            (plan("[]"), "gesturePlan.pointers must have from 1 to 2 entries"),
            (plan(#"[{"pointerId":0,"samples":[{"offsetMs":0,"point":{"x":1,"y":1}},{"offsetMs":1,"point":{"x":1}}]}]"#),
                "gesturePlan.pointers[0].samples[1].point.y is missing"),
        ]
        for (json, expected) in table { XCTAssertEqual(refusal(json), expected, json) }
    }

    func testWhatIsNoObjectIsRefused() {
        for body in ["", "null", "7", "[]", "{", String(repeating: "[", count: 100_000)] {
            XCTAssertEqual(refusal(body), "the body is not a JSON object", String(body.prefix(20)))
        }
        XCTAssertThrowsError(try Request(parsing: [0x7b, 0xff, 0x7d])) { error in
            XCTAssertEqual((error as? RunnerError)?.message, "the body is not UTF-8")
        }
        // A number that no double holds.
        XCTAssertNotNil(refusal(#"{"command":"tap","x":1e999,"y":1}"#))
    }

    func testEveryCommandHasItsTraits() {
        let interactions: Set<CommandName> = [
            .tap, .longPress, .drag, .remotePress, .type, .swipe, .scroll, .desktopScroll, .back, .backInApp, .backSystem, .rotate,
            .appSwitcher, .keyboardDismiss, .keyboardReturn, .sequence, .gesture, .alert,
        ]
        let reads: Set<CommandName> = [
            .findText, .querySelector, .readText, .snapshot, .gestureViewport, .screenshot, .appState,
        ]
        let onItsOwn: Set<CommandName> = [
            .screenshot, .recordStop, .uptime, .terminate, .targetReset, .shutdown, .status, .appState, .home, .actionButton,
        ]
        for name in CommandName.allCases {
            XCTAssertEqual(name.traits.effect == .interacts, interactions.contains(name), name.rawValue)
            XCTAssertEqual(name.traits.isRead, reads.contains(name), name.rawValue)
            XCTAssertEqual(!name.traits.needsApp, onItsOwn.contains(name), name.rawValue)
            XCTAssertEqual(name.traits.place == .connection, [.status, .uptime].contains(name), name.rawValue)
        }
        XCTAssertTrue(Command.alert(.get, timeoutMs: nil).traits(of: .alert).isRead)
        XCTAssertFalse(Command.alert(.accept, timeoutMs: nil).traits(of: .alert).isRead)
    }
}
