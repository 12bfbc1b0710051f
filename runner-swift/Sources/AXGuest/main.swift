// Serves the trees of the apps of this simulator. Compiled on a Mac on first use (`agent-device-apple/src/ax/guest.rs`), together
// with the files of AXService as one module, and started by `simctl spawn`.
#if canImport(AXService)
import AXService
#endif
import Foundation

do {
    let options = try ServeOptions.parse(Array(CommandLine.arguments.dropFirst()))
    let server = try SocketServer(options)
    let service = Service(SimulatorSource())
    _ = server.run { message, connection in connection.send(Frame.encode(service.reply(to: message))) }
} catch {
    FileHandle.standardError.write(Data("ax-guest: \(error)\n".utf8))
    exit(64)
}
