import RunnerCore
import UIKit

/// The fixture app of all Swift bodies, drawn by UIKit.
///
/// A port for tests beside the runner is named by `AGENT_DEVICE_FIXTURE_PORT`, in the environment or as an argument
/// `AGENT_DEVICE_FIXTURE_PORT=N`; an app that is launched again without one keeps the last.
@main
final class FixtureApp: UIResponder, UIApplicationDelegate {
    var window: UIWindow?
    private let stage = Stage()
    private var server: Server?
    private var task = UIBackgroundTaskIdentifier.invalid

    func application(
        _ application: UIApplication, didFinishLaunchingWithOptions options: [UIApplication.LaunchOptionsKey: Any]?
    ) -> Bool {
        let window = TouchedWindow(frame: UIScreen.main.bounds)
        window.onContact = { [stage] in stage.touched(by: $0) }
        window.rootViewController = stage
        window.makeKeyAndVisible()
        self.window = window
        do {
            try listen()
        } catch {
            fatalError("the port for tests can't be opened: \(error)")
        }
        return true
    }

    private func listen() throws {
        var options = Server.Options()
        options.port = Self.port()
        let server = try Server(options) { [stage] request in
            DispatchQueue.main.sync { MainActor.assumeIsolated { stage.answer(request) } }
        }
        server.start()
        Markers.standardError.write("FIXTURE_PORT", "\(server.port)")
        self.server = server
    }

    private static func port() -> UInt16 {
        let name = "AGENT_DEVICE_FIXTURE_PORT"
        let process = ProcessInfo.processInfo
        let argument = process.arguments.lazy.compactMap { $0.hasPrefix("\(name)=") ? String($0.dropFirst(name.count + 1)) : nil }.first
        if let port = (process.environment[name] ?? argument).flatMap(UInt16.init) {
            UserDefaults.standard.set(Int(port), forKey: name)
            return port
        }
        return UInt16(clamping: UserDefaults.standard.integer(forKey: name))
    }

    func applicationDidEnterBackground(_ application: UIApplication) {
        stage.leave()
        // The log is read while the app is in the background: without this the system stops it at once.
        task = application.beginBackgroundTask(expirationHandler: { [weak self] in self?.endTask(application) })
    }

    func applicationWillEnterForeground(_ application: UIApplication) {
        stage.come()
        endTask(application)
    }

    private func endTask(_ application: UIApplication) {
        guard task != .invalid else { return }
        application.endBackgroundTask(task)
        task = .invalid
    }
}
