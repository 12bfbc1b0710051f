import Foundation
import RunnerCore
import XCTest

/// The device around the app.
struct Screens: ScreenDriver {
    /// A Mac draws a window that comes forward with an animation, in seconds.
    private static let comesForward = 0.5

    let apps: Apps
    let time: any TimeSource

    func screenshot(fullscreen: Bool, of bundleId: String?) throws -> [UInt8] {
        #if os(macOS) || CHECK_MACOS
            if !fullscreen {
                try guarded { apps.app(bundleId).activate() }
                time.pause(Self.comesForward)
                return try guarded { [UInt8](apps.app(bundleId).windows.firstMatch.screenshot().pngRepresentation) }
            }
        #endif
        return try guarded { [UInt8](XCUIScreen.main.screenshot().pngRepresentation) }
    }

    func store(screenshot: [UInt8], name: String) throws -> String {
        let file = URL(fileURLWithPath: NSTemporaryDirectory()).appendingPathComponent(name)
        try Data(screenshot).write(to: file)
        #if os(macOS) || CHECK_MACOS
            return file.path
        #else
            // As the host finds it in the runner's container.
            return "tmp/\(name)"
        #endif
    }

    #if os(iOS) || CHECK_IOS
        func orientation() throws -> InterfaceOrientation { apps.orientation }

        func setOrientation(_ orientation: InterfaceOrientation) throws {
            // A device is named by the side that its home button is on, an interface by the side that is its top.
            let device: UIDeviceOrientation = switch orientation {
            case .portrait, .unknown: .portrait
            case .portraitUpsideDown: .portraitUpsideDown
            case .landscapeRight: .landscapeLeft
            case .landscapeLeft: .landscapeRight
            }
            try guarded { XCUIDevice.shared.orientation = device }
        }

        func pressHome() throws {
            try guarded { XCUIDevice.shared.press(.home) }
        }
    #else
        func orientation() throws -> InterfaceOrientation {
            throw RunnerError(.unsupportedOperation, "the screen does not turn on this platform")
        }

        func setOrientation(_ orientation: InterfaceOrientation) throws { _ = try self.orientation() }

        func pressHome() throws {
            throw RunnerError(.unsupportedOperation, "there is no home button on this platform")
        }
    #endif
}
