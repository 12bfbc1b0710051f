import Foundation
import RunnerCore

/// The device around the app.
struct SimScreen: ScreenDriver {
    let device: SimDevice

    func screenshot(fullscreen: Bool, of bundleId: String?) throws -> [UInt8] {
        device.withApp { app, now in Picture.png(app.scene(now)) }
    }

    func store(screenshot: [UInt8], name: String) throws -> String {
        let own = "runner-sim-\(ProcessInfo.processInfo.processIdentifier)"
        let folder = FileManager.default.temporaryDirectory.appendingPathComponent(own)
        try FileManager.default.createDirectory(at: folder, withIntermediateDirectories: true)
        let file = folder.appendingPathComponent(name)
        try Data(screenshot).write(to: file)
        return file.path
    }

    func orientation() throws -> InterfaceOrientation { device.withApp { app, _ in app.orientation } }

    func setOrientation(_ orientation: InterfaceOrientation) throws {
        device.act { app, _ in app.orientation = orientation }
    }

    func pressHome() throws { device.act { app, _ in app.goHome() } }
}
