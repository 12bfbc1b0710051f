import AXService
import XCTest

/// Frames, requests and replies as bytes.
final class WireTests: XCTestCase {
    func testFramesSurviveEveryCut() throws {
        let bodies: [[UInt8]] = [Array("{}".utf8), [], Array(repeating: 7, count: 300)]
        let stream = bodies.flatMap(Frame.encode)
        XCTAssertEqual(Array(stream.prefix(6)), [0, 0, 0, 2, 0x7b, 0x7d])
        for size in 1...stream.count {
            var reader = FrameReader()
            var read: [[UInt8]] = []
            for start in stride(from: 0, to: stream.count, by: size) {
                reader.append(stream[start..<min(start + size, stream.count)])
                while let body = try reader.next() { read.append(body) }
            }
            XCTAssertEqual(read, bodies, "in pieces of \(size)")
            XCTAssertFalse(reader.isMidway)
        }
    }

    func testALengthBeyondTheLimitIsRefusedBeforeItsBody() {
        var reader = FrameReader(limit: 10)
        reader.append([0, 0, 0, 11])
        XCTAssertThrowsError(try reader.next()) { XCTAssertEqual(($0 as? FrameReader.TooLarge)?.length, 11) }
        var huge = FrameReader()
        huge.append([0xff, 0xff, 0xff, 0xff])
        XCTAssertThrowsError(try huge.next())
    }

    func testEveryMemberOfARequestIsChecked() {
        let wrong: [(String, Any?, Failure.Code)] = [
            ("protocolVersion", 2, .identityMismatch), ("protocolVersion", "1", .identityMismatch),
            ("sourceVersion", "other", .identityMismatch), ("requestId", nil, .identityMismatch),
            ("requestId", String(repeating: "x", count: 2000), .identityMismatch), ("verb", "tap", .verbNotSupported),
            ("verb", nil, .verbNotSupported), ("pid", 0, .pidRequired), ("pid", -4, .pidRequired), ("pid", "42", .pidRequired),
            ("pid", 1 << 40, .pidRequired), ("pid", 4.5, .pidRequired), ("pid", true, .pidRequired), ("pid", nil, .pidRequired),
            ("generation", "", .generationRequired), ("generation", nil, .generationRequired),
            ("snapshotTree", false, .snapshotTreeRequired), ("snapshotTree", 1, .snapshotTreeRequired),
            ("automationMode", nil, .automationModeRequired), ("maxDepth", 129, .boundsInvalid), ("maxDepth", -1, .boundsInvalid),
            ("maxNodes", 0, .boundsInvalid), ("maxNodes", 10_001, .boundsInvalid), ("maxDurationMs", 120_001, .boundsInvalid),
            ("maxResponseBytes", (16 << 20) + 1, .boundsInvalid), ("maxResponseBytes", nil, .boundsInvalid),
            ("nativeLevelsHint", 0, .boundsInvalid), ("nativeLevelsHint", "all", .boundsInvalid),
        ]
        for (member, value, code) in wrong {
            let reply = decoded(Service(ScriptedApp(ScriptedApp.chain(1))).reply(to: request([member: value])))
            XCTAssertEqual(reply["error_code"] as? String, code.rawValue, "\(member) = \(value ?? "nothing")")
            XCTAssertEqual(reply["error_kind"] as? String, "bad_request")
            if member != "requestId" { XCTAssertEqual(reply["requestId"] as? String, "r1", "a refusal still says to what") }
        }
        XCTAssertNoThrow(try DescribeRequest.decode(request(["maxDepth": 0, "nativeLevelsHint": NSNull(), "extra": [1]])))
        for body in ["", "[]", "null", "{", "\u{0}"] {
            let reply = decoded(Service(ScriptedApp(ScriptedApp.chain(1))).reply(to: Array(body.utf8)))
            XCTAssertEqual(reply["error_code"] as? String, "json-object-required", body)
        }
    }

    func testAReplySaysWhatItAnswers() {
        let reply = decoded(Service(ScriptedApp(ScriptedApp.chain(2))).reply(to: request()))
        XCTAssertEqual(reply["protocolVersion"] as? Int, 1)
        XCTAssertEqual(reply["sourceVersion"] as? String, "agent-device-ax-1")
        XCTAssertEqual(reply["requestId"] as? String, "r1")
        XCTAssertEqual(reply["pid"] as? Int, 42)
        XCTAssertEqual(reply["generation"] as? String, "g")
        XCTAssertEqual(reply["ok"] as? Bool, true)
    }

    func testTextsComeThroughWhateverIsInThem() {
        let text = "quote \" back \\ tab \t nul \u{0} bell \u{7} ü 🎈 \u{2028} \u{7f}"
        let app = ScriptedApp([.init(depth: 0, label: text)])
        XCTAssertEqual(labels(decoded(Service(app).reply(to: request()))), ["0:" + text])
    }

    func testAFrameThatIsNoNumberIsLeftOut() {
        for odd in [Double.infinity, -.infinity, .nan] {
            var facts = ElementFacts()
            facts.frame = .init(x: 0, y: odd, width: 1, height: 1)
            let reply = decoded(Service(One(facts)).reply(to: request()))
            XCTAssertEqual(reply["ok"] as? Bool, true)
            XCTAssertNil((reply["tree"] as? [String: Any])?[Wire.Key.frame])
        }
        var facts = ElementFacts()
        facts.frame = .init(x: -1.5, y: 1e300, width: 5e-324, height: 0)
        let tree = decoded(Service(One(facts)).reply(to: request()))["tree"] as? [String: Any]
        XCTAssertEqual(tree?[Wire.Key.frame] as? [String: Double], ["X": -1.5, "Y": 1e300, "Width": 5e-324, "Height": 0])
    }

    func testAReplyBeyondTheLimitOfItsRequestIsAFailure() {
        let app = ScriptedApp(ScriptedApp.chain(40))
        let reply = decoded(Service(app).reply(to: request(["maxResponseBytes": 1000])))
        XCTAssertEqual(reply["error_code"] as? String, "response-too-large")
        XCTAssertEqual(reply["error_kind"] as? String, "response_limit_exceeded")
    }

    func testTheDeepestTreeIsWrittenWithoutRecursion() {
        let reply = Service(ScriptedApp(ScriptedApp.chain(200))).reply(to: request(["maxDepth": 128]))
        XCTAssertEqual(labels(decoded(reply)).count, 129)
    }

    /// Seeded mutations of a good request: whatever arrives, there is one reply, and it is JSON.
    func testNoBytesBreakTheService() {
        let good = request()
        let service = Service(ScriptedApp(ScriptedApp.chain(3)))
        for seed in 1...3000 as ClosedRange<UInt64> {
            var random = Seeded(seed)
            var bytes = good
            for _ in 0..<Int.random(in: 1...8, using: &random) {
                let at = Int.random(in: 0..<bytes.count, using: &random)
                switch Int.random(in: 0..<4, using: &random) {
                case 0: bytes[at] = UInt8.random(in: 0...255, using: &random)
                case 1 where bytes.count > 1: bytes.remove(at: at)
                case 2: bytes.insert(contentsOf: good[at % good.count..<min(at % good.count + 9, good.count)], at: at)
                default: bytes.removeLast(min(at, bytes.count - 1))
                }
            }
            XCTAssertNotNil(decoded(service.reply(to: bytes))["ok"], "seed \(seed)")
        }
    }

    /// Random pieces of random streams: the reader never gives a message longer than its limit, and never waits for more.
    func testNoBytesBreakTheFrameReader() {
        for seed in 1...2000 as ClosedRange<UInt64> {
            var random = Seeded(seed)
            var reader = FrameReader(limit: 600)
            pieces: for _ in 0..<20 {
                var piece = (0..<Int.random(in: 0...40, using: &random)).map { _ in UInt8.random(in: 0...255, using: &random) }
                if Bool.random(using: &random) { piece = [0, 0, UInt8.random(in: 0...3, using: &random)] + piece }
                reader.append(piece)
                do {
                    while let body = try reader.next() { XCTAssertLessThanOrEqual(body.count, 600) }
                } catch {
                    XCTAssertGreaterThan(error.length, 600)
                    break pieces
                }
            }
        }
    }
}

private struct One: TreeSource {
    let facts: ElementFacts

    init(_ facts: ElementFacts) {
        self.facts = facts
    }

    func foregroundOwner() throws(Failure) -> Int32? { 42 }
    func application(_ pid: Int32) throws(Failure) -> Int { 0 }
    func read(_ handle: Int, levels: Int, nodes: Int, seconds: Double) throws(ReadFailure) -> Reading<Int> {
        Reading([.init(depth: 0, facts: facts, children: 0, handle: nil)])
    }
}
