/// The device around the app. Called on the main thread alone.
public protocol ScreenDriver: Sendable {
    /// A PNG of the screen that shows the app.
    func screenshot(fullscreen: Bool, of bundleId: String?) throws -> [UInt8]
    /// Where a screenshot that is not sent inline is to be put, for the host to fetch.
    func store(screenshot: [UInt8], name: String) throws -> String

    func orientation() throws -> InterfaceOrientation
    func setOrientation(_ orientation: InterfaceOrientation) throws

    func pressHome() throws
    /// tvOS has the menu button, a phone has none.
    func pressActionButton() throws

    func startRecording(to path: String, fps: Int?, of bundleId: String?) throws
    /// False when none was running.
    func stopRecording() throws -> Bool
}

extension ScreenDriver {
    public func pressActionButton() throws {
        throw RunnerError(.unsupportedOperation, "the device has no action button")
    }

    public func startRecording(to path: String, fps: Int?, of bundleId: String?) throws {
        throw RunnerError(.unsupportedOperation, "the screen can't be recorded here")
    }

    public func stopRecording() throws -> Bool { false }
}
