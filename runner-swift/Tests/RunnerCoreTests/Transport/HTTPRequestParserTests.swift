import XCTest

@testable import RunnerCore

final class HTTPRequestParserTests: XCTestCase {
    private func parse(_ text: String) -> HTTPRequestParser.Progress {
        var parser = HTTPRequestParser()
        return parser.feed(Array(text.utf8))
    }

    func testARequestIsTheSameInOnePieceAndByteByByte() {
        let text = "POST /command?a=1 HTTP/1.1\r\nHost: x\r\ncontent-LENGTH:  4 \r\nAuthorization: Bearer t\r\n\r\n{\r\n}"
        let whole = HTTPRequest(
            method: "POST", path: "/command", query: "a=1", authorization: "Bearer t", hasOrigin: false, body: Array("{\r\n}".utf8))
        XCTAssertEqual(parse(text), .complete(whole))
        var parser = HTTPRequestParser()
        let bytes = Array(text.utf8)
        for byte in bytes.dropLast() { XCTAssertEqual(parser.feed([byte]), .incomplete) }
        XCTAssertEqual(parser.feed([bytes.last!]), .complete(whole))
    }

    func testAPostWithoutALengthIsRefusedAndAGetIsNot() {
        XCTAssertEqual(parse("POST / HTTP/1.1\r\n\r\n"), .refused(.lengthRequired))
        XCTAssertEqual(parse("POST / HTTP/1.1\r\nTransfer-Encoding: chunked\r\n\r\n"), .refused(.lengthRequired))
        guard case .complete(let get) = parse("GET /x HTTP/1.1\r\n\r\n") else { return XCTFail() }
        XCTAssertEqual(get.method, "GET")
    }

    func testALengthBeyondTheLimitIsRefusedBeforeTheBodyComes() {
        let head = { (length: String) in "POST / HTTP/1.1\r\nContent-Length: \(length)\r\n\r\n" }
        XCTAssertEqual(parse(head("2097152")), .refused(.tooLarge))
        XCTAssertEqual(parse(head("\(Int.max)")), .refused(.tooLarge))
        let fits = HTTPRequestParser.limit - head("2097000").utf8.count
        XCTAssertEqual(parse(head("\(fits)")), .incomplete)
        XCTAssertEqual(parse(head("\(fits + 1)")), .refused(.tooLarge))
    }

    func testAHeadWithoutAnEndIsNotCollectedForEver() {
        var parser = HTTPRequestParser()
        let line = Array(("X: " + String(repeating: "a", count: 1000) + "\r\n").utf8)
        _ = parser.feed(Array("POST / HTTP/1.1\r\n".utf8))
        for _ in 0..<70 {
            if case .refused(let refusal) = parser.feed(line) { return XCTAssertEqual(refusal, .tooLarge) }
        }
        XCTFail("it went on")
    }

    func testWhatIsNoRequestIsRefused() {
        for text in [
            "\r\n\r\n", "POST /\r\n\r\n", "POST / HTTP/2\r\n\r\n", "\u{16}\u{3}\u{1}\r\n\r\n", "POST x HTTP/1.1\r\n\r\n",
            "POST / HTTP/1.1\r\nno colon\r\n\r\n", "POST / HTTP/1.1\r\nContent-Length: -1\r\n\r\n",
            "POST / HTTP/1.1\r\nContent-Length: +1\r\n\r\n", "POST / HTTP/1.1\r\nContent-Length: 1\r\nContent-Length: 2\r\n\r\n",
        ] {
            guard case .refused(.malformed) = parse(text) else {
                XCTFail("\(text.debugDescription) was not refused: \(parse(text))")
                continue
            }
        }
    }

    func testNoBytesBreakIt() {
        var random = SystemRandomNumberGenerator()
        for _ in 0..<2000 {
            var parser = HTTPRequestParser()
            var bytes = Array("POST / HTTP/1.1\r\nContent-Length: 3\r\n\r\nabc".utf8)
            for _ in 0..<Int.random(in: 1...6, using: &random) { bytes[Int.random(in: bytes.indices, using: &random)] = .random(in: 0...255, using: &random) }
            _ = parser.feed(bytes)
        }
    }
}
