// The accessibility service over a scripted app, for tests of its client: the same frames, requests, replies, limits and
// watchdog as in a simulator, and on request every way in which a peer can be wrong. The script comes from AX_PEER.
import AXService
import Foundation

func end(_ message: String) -> Never {
    FileHandle.standardError.write(Data("ax-peer: \(message)\n".utf8))
    exit(64)
}

do {
    let options = try ServeOptions.parse(Array(CommandLine.arguments.dropFirst()))
    let script = try Script.parse(ProcessInfo.processInfo.environment["AX_PEER"] ?? "")
    let peer = Peer(script)
    let server = try SocketServer(options)
    _ = server.run { message, connection in peer.answer(message, connection) }
} catch {
    end("\(error)")
}
