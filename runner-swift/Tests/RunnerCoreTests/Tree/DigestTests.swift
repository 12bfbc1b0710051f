import XCTest

@testable import RunnerCore

final class DigestTests: XCTestCase {
    private struct Case: Decodable {
        struct Node: Decodable {
            var type: UInt
            var label: String?
            var identifier: String?
        }
        var name: String
        var nodes: [Node]
        var digest: String
    }

    private func presented(_ attributes: [NodeAttributes]) -> [PresentedNode] {
        attributes.enumerated().map { at, attributes in
            PresentedNode(
                RawNode(attributes, depth: 0, parent: nil), source: at, index: at, rect: attributes.frame, isHittable: true,
                depth: 0, parentIndex: nil)
        }
    }

    /// The examples of FIPS 180-4's test vectors, and lengths around the edge of a block.
    func testSHA256AgreesWithItsPublishedVectors() {
        func hex(_ text: String) -> String { SHA256.hash(text.utf8).map { String(format: "%02x", $0) }.joined() }
        XCTAssertEqual(hex(""), "e3b0c44298fc1c149afbf4c8996fb92427ae41e4649b934ca495991b7852b855")
        XCTAssertEqual(hex("abc"), "ba7816bf8f01cfea414140de5dae2223b00361a396177a9cb410ff61f20015ad")
        XCTAssertEqual(
            hex("abcdbcdecdefdefgefghfghighijhijkijkljklmklmnlmnomnopnopq"),
            "248d6a61d20638b8e5c026930c3e6039a33ce45964ff2167f6ecedd419db06c1")
        XCTAssertEqual(
            hex(String(repeating: "a", count: 1_000_000)), "cdc76e5c9914fb9281a1c7e284d73e67f1809a48a497200e046d39ccc7112cd0")
        XCTAssertEqual(
            hex(String(repeating: "a", count: 64)), "ffe054fe7ae0cb6dc65c3af9b61d5209f439851db43d0ba5997337df154668eb")
    }

    func testThePresentationDigestHasOneFormOnBothSides() throws {
        for test in try Fixture.load("digest", as: Cases<Case>.self).cases {
            let nodes = test.nodes.map {
                NodeAttributes(ElementType(rawValue: $0.type), label: $0.label, identifier: $0.identifier)
            }
            XCTAssertEqual(Digest.presentation(of: presented(nodes)), test.digest, test.name)
        }
    }

    func testTheDigestSeesAnotherScreenAndNotAMovement() {
        let screen = [NodeAttributes(.button, label: "Pay", frame: Rect(0, 0, 9, 9)), NodeAttributes(.staticText, label: "Total")]
        var moved = screen
        moved[0].frame = Rect(50, 60, 9, 9)
        moved[0].value = "1"
        moved[0].isFocused = true
        var other = screen
        other[1].label = "Thanks"
        let digest = Digest.presentation(of: presented(screen))
        XCTAssertEqual(digest, Digest.presentation(of: presented(moved)))
        XCTAssertEqual(digest, Digest.presentation(of: presented(screen.reversed())), "the order does not matter")
        XCTAssertNotEqual(digest, Digest.presentation(of: presented(other)))
        XCTAssertNotEqual(digest, Digest.presentation(of: presented(screen + screen)), "the number counts")
    }

    func testNoTextCanLookLikeTwo() {
        XCTAssertNotEqual(Digest.ordered(["ab", "c"]), Digest.ordered(["a", "bc"]))
        XCTAssertNotEqual(Digest.ordered(["a"]), Digest.ordered(["a", ""]))
    }
}
