import AXService
import Foundation

/// How a reply can be wrong.
enum Fault: String, CaseIterable {
    case wrongProtocol = "wrong-protocol"
    case wrongSource = "wrong-source"
    case wrongRequest = "wrong-request"
    case wrongPid = "wrong-pid"
    case wrongGeneration = "wrong-generation"
    /// The identity is missing.
    case anonymous
    /// The length says 4 GiB.
    case hugeLength = "huge-length"
    /// Half of the reply, then the end.
    case shortFrame = "short-frame"
    /// Half of the length, then the end.
    case shortHeader = "short-header"
    case emptyFrame = "empty-frame"
    case notJSON = "not-json"
    case notUTF8 = "not-utf8"
    /// 100 000 opening brackets.
    case bottomless
    /// No tree, no error.
    case hollow
    /// More elements than were asked for.
    case overfull
    /// A kind and code that nobody knows.
    case unknownFailure = "unknown-failure"
    /// The process ends before it answers.
    case die
    /// The connection ends before the answer.
    case hangUp = "hang-up"
    /// The connection ends after the answer.
    case hangUpAfter = "hang-up-after"
    /// No answer, and the connection stays.
    case silent
    /// One byte at a time.
    case trickle
}

final class Peer {
    private let script: Script
    private let app: ScriptedApp
    private let service: Service<ScriptedApp>
    private var requests = 0

    init(_ script: Script) {
        self.script = script
        app = ScriptedApp(script)
        service = Service(app)
    }

    func answer(_ message: [UInt8], _ connection: Connection) -> Bool {
        requests += 1
        script.note("request \(requests)")
        if let request = try? DescribeRequest.decode(message) { app.asked = request.pid }
        guard let fault = script.faults.first(where: { $0.at ?? requests == requests })?.fault else {
            return connection.send(Frame.encode(service.reply(to: message)))
        }
        return answer(message, connection, fault)
    }

    private func answer(_ message: [UInt8], _ connection: Connection, _ fault: Fault) -> Bool {
        func reply() -> [UInt8] { service.reply(to: message) }
        func framed(_ text: String) -> [UInt8] { Frame.encode(Array(text.utf8)) }
        func changed(_ member: String, _ value: String) -> [UInt8] {
            framed(replaced(String(decoding: reply(), as: UTF8.self), member, value))
        }
        switch fault {
        case .wrongProtocol: return connection.send(changed("protocolVersion", "2"))
        case .wrongSource: return connection.send(changed("sourceVersion", "\"someone-else\""))
        case .wrongRequest: return connection.send(changed("requestId", "\"another\""))
        case .wrongPid: return connection.send(changed("pid", "43"))
        case .wrongGeneration: return connection.send(changed("generation", "\"older\""))
        case .anonymous: return connection.send(framed("{\"ok\":true,\"tree\":{}}"))
        case .hugeLength: return connection.send([0xff, 0xff, 0xff, 0xff, 0x7b])
        case .shortFrame:
            let frame = Frame.encode(reply())
            _ = connection.send(Array(frame.prefix(frame.count / 2)))
            return false
        case .shortHeader:
            _ = connection.send([0, 0])
            return false
        case .emptyFrame: return connection.send([0, 0, 0, 0])
        case .notJSON: return connection.send(framed("<html>"))
        case .notUTF8: return connection.send(Frame.encode([0x7b, 0x22, 0xff, 0xfe, 0x22, 0x3a, 0x31, 0x7d]))
        case .bottomless: return connection.send(framed(String(repeating: "[", count: 100_000)))
        case .hollow:
            let text = String(decoding: reply(), as: UTF8.self)
            let end = text.range(of: ",\"truncated\"")?.lowerBound ?? text.endIndex
            return connection.send(framed(text[..<end] + "}"))
        case .overfull:
            let text = String(decoding: reply(), as: UTF8.self)
            let child = "{\"\(Wire.Key.children)\":[]}"
            let many = Array(repeating: child, count: 6000).joined(separator: ",")
            let leaf = "\(Wire.Key.children)\":["
            return connection.send(framed(text.replacingOccurrences(of: leaf + "]", with: leaf + many + "]")))
        case .unknownFailure:
            let failure = Failure(.applicationTimeout, "a failure of the future")
            let request = try? DescribeRequest.decode(message)
            let text = String(decoding: Reply.failure(failure, to: request?.identity ?? .unknown), as: UTF8.self)
            return connection.send(framed(replaced(replaced(text, "error_kind", "\"novel\""), "error_code", "\"never-seen\"")))
        case .die: exit(9)
        case .hangUp: return false
        case .hangUpAfter:
            _ = connection.send(Frame.encode(reply()))
            return false
        case .silent: return true
        case .trickle:
            for byte in Frame.encode(reply()) {
                guard connection.send([byte]) else { return false }
                usleep(20)
            }
            return true
        }
    }

    /// The document with another value for the first member of this name.
    private func replaced(_ document: String, _ member: String, _ value: String) -> String {
        guard let name = document.range(of: "\"\(member)\":") else { return document }
        let rest = document[name.upperBound...]
        let end = rest.firstIndex { $0 == "," || $0 == "}" } ?? rest.endIndex
        return String(document[..<name.upperBound]) + value + String(rest[end...])
    }
}
