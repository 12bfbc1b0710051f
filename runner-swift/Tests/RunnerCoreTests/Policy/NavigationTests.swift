import XCTest

@testable import RunnerCore

final class NavigationTests: XCTestCase {
    private let window = Rect(0, 0, 390, 844)

    private func button(
        _ label: String, _ frame: Rect? = Rect(0, 50, 80, 44), hittable: Bool = true, enabled: Bool = true, id: String? = nil
    ) -> FoundElement {
        FoundElement(
            NodeAttributes(.button, label: label, identifier: id, frame: frame, isEnabled: enabled), isHittable: hittable, handle: label)
    }

    func testTheWayBackIsTheBarsButtonThenBackBeforeCloseBeforeCancel() {
        func choose(_ bar: [FoundElement], _ others: [FoundElement]) -> String? {
            BackControl.choose(bar: bar, others: others, window: window)?.handle as? String
        }
        let (back, close, cancel) = (button("Back"), button("Close"), button("Cancel"))
        XCTAssertEqual(choose([button("Settings"), button("Edit")], [back]), "Settings")
        XCTAssertEqual(choose([button("Settings", hittable: false)], [cancel, close, back]), "Back")
        XCTAssertEqual(choose([button("Settings", enabled: false)], [cancel, close]), "Close")
        XCTAssertEqual(choose([], [cancel]), "Cancel")
        XCTAssertEqual(choose([], [button(" BACK ")]), " BACK ")
        XCTAssertNil(choose([], [button("Go back")]))
        XCTAssertNil(choose([], [button("Back", Rect(0, 400, 80, 44))]), "below the top band")
        XCTAssertNil(choose([], [button("Back", nil)]))
        XCTAssertNil(choose([], [button("Back", hittable: false)]))
    }

    func testTheTopBandAndTheCornerKeepTheirSizeOnSmallAndLargeScreens() {
        for (height, band, y) in [(300.0, 96.0, 56.0), (600, 132, 93), (844, 180, 130.82), (1_366, 180, 132)] {
            let window = Rect(10, 20, 390, height)
            XCTAssertEqual(BackControl.band(of: window), Rect(10, 20, 390, band))
            XCTAssertEqual(BackControl.corner(of: window).y - 20, y, accuracy: 1e-9)
        }
        for (width, x) in [(200.0, 28.0), (390, 31.2), (1_024, 44)] {
            XCTAssertEqual(BackControl.corner(of: Rect(0, 0, width, 844)).x, x, accuracy: 1e-9)
        }
    }

    func testTheSystemsStrokesStartAtTheEdge() {
        let back = BackControl.systemStroke(in: Rect(0, 0, 400, 800))
        XCTAssertEqual([back.from, back.to], [Point(20, 400), Point(320, 400)])
        XCTAssertEqual(back.press, 0.05)
        let switcher = BackControl.switcherStroke(in: Rect(0, 0, 400, 800))
        XCTAssertEqual([switcher.from, switcher.to], [Point(200, 792), Point(200, 560)])
        XCTAssertEqual(switcher.press, 0.6)
    }

    func testAMacsWayBackHasItsIdentifierOrItsLabel() {
        XCTAssertTrue(BackControl.isMacControl(NodeAttributes(.button, identifier: "go back")))
        XCTAssertTrue(BackControl.isMacControl(NodeAttributes(.button, label: "Back")))
        XCTAssertFalse(BackControl.isMacControl(NodeAttributes(.button, label: "Backup")))
    }

    func testOnlyTheKeyboardsOwnControlsDismissIt() {
        let keyboard = Rect(0, 500, 390, 344)
        func dismiss(_ controls: [FoundElement], _ app: [FoundElement] = []) -> String? {
            KeyboardControl.dismiss(controls: controls, appButtons: app, keyboard: keyboard)?.handle as? String
        }
        let key = Rect(300, 700, 80, 40)
        XCTAssertEqual(dismiss([button("Done", key), button("Hide keyboard", key)]), "Hide keyboard", "in the order of the list")
        XCTAssertEqual(dismiss([button("x", key, id: "Dismiss keyboard")]), "x")
        XCTAssertNil(dismiss([button("return", key), button("Done", key, enabled: false)]))
        XCTAssertEqual(dismiss([], [button("Done", Rect(300, 460, 80, 40))]), "Done", "the bar right above it")
        XCTAssertEqual(dismiss([], [button("Done", Rect(300, 421, 80, 40))]), "Done")
        XCTAssertNil(dismiss([], [button("Done", Rect(300, 380, 80, 40))]), "80 points above it is the app")
        XCTAssertNil(dismiss([], [button("Done", nil)]))
    }

    func testTheReturnKeyHasManyNames() {
        for name in ["return", "Return", "Enter", "Go", "Search", "Next", "Done", "Send", "Join"] {
            XCTAssertEqual(KeyboardControl.return(controls: [button("q"), button(name)])?.handle as? String, name)
        }
        XCTAssertNil(KeyboardControl.return(controls: [button("q"), button("delete")]))
    }

    func testOnTVOnlyWhatHasTheFocusIsPressed() {
        let focused = NodeAttributes(.button, frame: Rect(100, 100, 200, 100), isFocused: true)
        XCTAssertTrue(RemoteFocus.hits(Point(150, 150), focused: focused))
        XCTAssertFalse(RemoteFocus.hits(Point(50, 150), focused: focused))
        XCTAssertFalse(RemoteFocus.hits(Point(150, 150), focused: nil))
        XCTAssertTrue(RemoteFocus.hits(focused, focused: nil), "it says so itself")
        let label = NodeAttributes(.staticText, frame: Rect(180, 140, 40, 20))
        XCTAssertTrue(RemoteFocus.hits(label, focused: focused), "its middle is in the focus")
        XCTAssertTrue(RemoteFocus.hits(NodeAttributes(.cell, frame: Rect(90, 90, 400, 120)), focused: focused), "it holds the focus")
        XCTAssertFalse(RemoteFocus.hits(NodeAttributes(.cell, frame: Rect(500, 100, 200, 100)), focused: focused))
        XCTAssertFalse(RemoteFocus.hits(NodeAttributes(.cell), focused: focused))
    }

    func testTheArrowLeadsAlongTheLongerWay() {
        let here = Rect(100, 100, 100, 100)
        let table: [(Rect?, Command.RemoteButton?)] = [
            (Rect(400, 150, 100, 100), .right), (Rect(-300, 150, 100, 100), .left), (Rect(120, 500, 100, 100), .down),
            (Rect(120, -300, 100, 100), .up), (Rect(90, 90, 200, 200), nil), (nil, nil), (.infinite, nil),
        ]
        for (target, arrow) in table { XCTAssertEqual(RemoteFocus.arrow(from: here, to: target), arrow) }
        let refusal = RemoteFocus.refusal(focused: here, target: Rect(400, 150, 100, 100))
        XCTAssertEqual(refusal.code, .targetNotFocused)
        XCTAssertTrue(refusal.hint?.contains("right") ?? false)
        XCTAssertEqual(Command.Direction.allCases.map { RemoteFocus.button(for: $0).rawValue }, Command.Direction.allCases.map(\.rawValue))
    }

    func testTheGapOfTheDoublePressIsBounded() {
        let table: [(String?, Double)] = [(nil, 0), ("", 0), ("x", 0), ("-5", 0), ("250", 0.25), (" 250 ", 0.25), ("9999", 1), ("inf", 0)]
        for (setting, gap) in table { XCTAssertEqual(RemoteFocus.doublePressGap(setting), gap, setting ?? "nil") }
    }

    func testARotationCountsWhenItIsObserved() throws {
        XCTAssertEqual(try OrientationWatch(wanted: .landscapeLeft, observed: .landscapeLeft, elapsed: 0), .observed)
        XCTAssertEqual(try OrientationWatch(wanted: .landscapeLeft, observed: .landscapeLeft, elapsed: 9), .observed)
        XCTAssertEqual(try OrientationWatch(wanted: .landscapeLeft, observed: .portrait, elapsed: 1.99), .wait)
        do {
            _ = try OrientationWatch(wanted: .landscapeLeft, observed: .portrait, elapsed: 2)
            XCTFail("not observed")
        } catch {
            XCTAssertEqual(error.code, .commandFailed)
            XCTAssertTrue(error.message.contains("portrait") && error.message.contains("landscape-left"))
        }
        XCTAssertEqual(Platform.allCases.filter(OrientationWatch.isSupported), [.iOS])
    }
}
