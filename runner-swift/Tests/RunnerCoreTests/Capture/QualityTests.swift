import XCTest

@testable import RunnerCore

final class QualityTests: XCTestCase {
    private struct Words: Decodable {
        var states: [String]
        var reasonCodes: [String]
        var backends: [String]
    }

    func testTheVerdictHasTheWordsOfTheWire() throws {
        let words = try Fixture.load("quality", as: Words.self)
        XCTAssertEqual(Quality.State.allCases.map(\.rawValue), words.states)
        XCTAssertEqual(Set(Quality.Reason.allCases.map(\.rawValue)), Set(words.reasonCodes))
        XCTAssertEqual(BackendKind.allCases.map(\.rawValue), words.backends)
    }

    func testEveryBackendStatesEachOfItsTraits() {
        XCTAssertEqual(BackendKind.allCases.filter(\.traits.usesXCTestChannel), [.tree, .queries])
        XCTAssertEqual(BackendKind.allCases.filter(\.traits.givesRaw), [.tree, .privateAX])
        XCTAssertEqual(BackendKind.allCases.filter(\.traits.isForceable), [.tree, .privateAX])
        XCTAssertEqual(BackendKind.allCases.filter(\.traits.extendsDepth), [.privateAX])
        XCTAssertEqual(BackendKind.allCases.filter(\.traits.hasDepthLadder), [.privateAX])
        XCTAssertEqual(
            BackendKind.allCases.map(\.traits.depthSemantics.rawValue), ["presented-frontier", "flat", "presentation-cut"])
    }

    private let screen = Rect(0, 0, 320, 240)

    private func present(_ nodes: [NodeAttributes]) throws -> [PresentedNode] {
        var tree = RawTree()
        for (at, attributes) in nodes.enumerated() { tree.append(attributes, under: at == 0 ? nil : 0) }
        return try Presenter(policy: .cursorProjected).present(
            tree, viewport: .reported(screen), options: PresentationOptions(raw: true))
    }

    func testATreeOfContainersWithoutTextIsSparse() throws {
        let app = NodeAttributes(.application, label: "Shop", frame: screen)
        let button = NodeAttributes(.button, frame: Rect(0, 0, 50, 20))
        let table: [(String, [NodeAttributes], Bool, Quality.Reason?)] = [
            ("no nodes", [], false, .noNodes),
            ("the root alone", [app], false, .sparseTree),
            ("a window's title says nothing", [app, NodeAttributes(.window, label: "Shop", frame: screen)], false, .sparseTree),
            ("containers", [app, NodeAttributes(.window), NodeAttributes(.other), NodeAttributes(.scrollView)], false, .sparseTree),
            ("a control without a name is something", [app, button], false, nil),
            ("a text is something", [app, NodeAttributes(.other, label: "Total")], false, nil),
            ("a value is something", [app, NodeAttributes(.other, value: "42")], false, nil),
            ("an object without a text is not", [app, NodeAttributes(.other, label: " [object Object] ")], false, .sparseTree),
            ("an identifier is something", [app, NodeAttributes(.other, identifier: "pad", frame: Rect(0, 0, 9, 9))], false, nil),
            (
                "an identifier on the whole screen is not",
                [app, NodeAttributes(.other, identifier: "root-view", frame: screen, isEnabled: false)], false, .sparseTree
            ),
            ("an identifier on the app is not", [NodeAttributes(.application, identifier: "app", frame: screen)], false, .sparseTree),
            ("few nodes of a truncated read", [app] + Array(repeating: button, count: 7), true, .budget),
            ("nine nodes of a truncated read", [app] + Array(repeating: button, count: 8), true, nil),
            ("few nodes of a whole read", [app, button], false, nil),
        ]
        for (name, nodes, truncated, reason) in table {
            XCTAssertEqual(Sparseness.reason(try present(nodes), truncated: truncated), reason, name)
        }
    }

    func testALeafWithMoreThanTenSegmentsHasSwallowedItsChildren() throws {
        let ten = (1...10).map(String.init).joined(separator: ", ")
        let nodes = try present([
            NodeAttributes(.application, label: ten + ", 11"), NodeAttributes(.cell, label: ten),
            NodeAttributes(.cell, label: ten + ", 11"), NodeAttributes(.staticText, label: ten + ", 11"),
            NodeAttributes(.textView, label: ten + ", 11"),
        ])
        XCTAssertEqual(Sparseness.collapsedLeaves(nodes), [2])
    }

    func testTheVerdictSaysOnlyWhatItKnows() {
        XCTAssertEqual(
            String(decoding: Quality(.healthy, backend: .tree).json.encoded(), as: UTF8.self),
            #"{"state":"healthy","backend":"tree"}"#)
        var quality = Quality(.sparse, backend: .privateAX, reasonCode: .axRejected, reason: "refused")
        quality.effectiveDepth = 39
        quality.collapsedLeafIndexes = [4]
        quality.customActions = CustomActionsCoverage(candidates: 2)
        quality.customActions?.read = 1
        quality.customActions?.blocked = true
        quality.timing = Quality.Timing(acquisitionMs: 12, presentationMs: 3)
        XCTAssertEqual(
            String(decoding: quality.json.encoded(), as: UTF8.self),
            #"{"state":"sparse","backend":"private-ax","reason":"refused","reasonCode":"ax-rejected","effectiveDepth":39,"#
                + #""collapsedLeafIndexes":[4],"customActions":{"read":1,"candidates":2,"truncated":0,"blocked":true},"#
                + #""timing":{"acquisitionMs":12,"presentationMs":3}}"#)
        XCTAssertNil(Quality(.healthy, backend: .tree).message)
        XCTAssertTrue(quality.message!.contains("refused"))
        XCTAssertTrue(quality.message!.contains("1 of 2"))
        quality.customActions?.read = 2
        XCTAssertFalse(quality.message!.contains("custom actions"))
    }

    func testAnAccessibilityRejectionIsToldFromOtherFailures() {
        let table: [(String, Bool)] = [
            ("Failed to get matching snapshot: kAXErrorIllegalArgument", true), ("KAXERRORILLEGALARGUMENT", true),
            ("Illegal argument while taking snapshot", true), ("Illegal argument", false), ("snapshot failed", false),
            ("kAXErrorServerNotFound", false), ("Timed out while evaluating UI query.", false),
        ]
        for (message, isRejection) in table {
            XCTAssertEqual(CaptureFailure.isAXRejection(message), isRejection, message)
            XCTAssertEqual(CaptureFailure(message: message), isRejection ? .axRejected(message) : .failed(message))
        }
    }
}
