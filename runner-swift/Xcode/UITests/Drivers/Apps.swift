import Foundation
import RunnerCore
import XCTest

/// Apps, and the handles by which the other drivers reach them.
final class Apps: TargetDriver, @unchecked Sendable {
    /// Processes of the system that show something in the place of the app. They are served where they are: to open one would
    /// close what it shows.
    private static let surfaceHosts = [
        SystemSurface(bundleId: "com.apple.SafariViewService", kind: "web-auth"),
        SystemSurface(bundleId: "com.apple.PassbookUIService", kind: "payment"),
    ]
    /// How long an app may take to come forward, in seconds.
    private static let comesForward = 30.0

    /// Main thread alone.
    private var handles: [String: XCUIApplication] = [:]
    private var own: XCUIApplication?
    private var latest: XCUIApplication?

    /// A handle that may be used again: to make one looks the app up.
    @MainActor func app(_ bundleId: String?) -> XCUIApplication {
        let app: XCUIApplication
        if let bundleId {
            app = handles[bundleId] ?? XCUIApplication(bundleIdentifier: bundleId)
            handles[bundleId] = app
        } else {
            app = own ?? XCUIApplication()
            own = app
        }
        latest = app
        return app
    }

    /// The app that was reached last: whose interface the pointer's coordinates are of.
    @MainActor var current: XCUIApplication { latest ?? app(nil) }

    /// The process that shows what lies over apps. A handle of its own each time: one that is kept goes stale with the alert.
    @MainActor var springboard: XCUIApplication? {
        #if os(macOS) || CHECK_MACOS || os(tvOS) || CHECK_TVOS
            nil
        #else
            XCUIApplication(bundleIdentifier: "com.apple.springboard")
        #endif
    }

    // MARK: TargetDriver

    func state(of bundleId: String?) -> AppState {
        let state = try? guarded { [self] in app(bundleId).state.rawValue }
        return switch state {
        case 1: .notRunning
        case 2: .runningBackgroundSuspended
        case 3: .runningBackground
        case 4: .runningForeground
        default: .unknown
        }
    }

    func processId(of bundleId: String?) -> Int32? {
        let process = onMain { runner_process(Unmanaged.passUnretained(app(bundleId)).toOpaque()) }
        return process > 0 ? process : nil
    }

    func activate(_ bundleId: String?) throws {
        let isForward = try guarded { [self] in
            let app = app(bundleId)
            app.activate()
            return app.wait(for: .runningForeground, timeout: Self.comesForward)
        }
        guard isForward else {
            throw RunnerError(.commandFailed, bundleId.map { "app '\($0)' is not available" } ?? "runner app is not available")
        }
    }

    func terminate(_ bundleId: String) throws {
        try guarded { [self] in app(bundleId).terminate() }
    }

    func surfaceInFront() -> SystemSurface? {
        #if os(iOS) || CHECK_IOS
            Self.surfaceHosts.first { host in
                (try? guarded { XCUIApplication(bundleIdentifier: host.bundleId).state == .runningForeground }) ?? false
            }
        #else
            nil
        #endif
    }

    var promptProcess: Int32? {
        let process = onMain { springboard.map { runner_process(Unmanaged.passUnretained($0).toOpaque()) } ?? 0 }
        return process > 0 ? process : nil
    }

    func forgetHandles() {
        handles = [:]
        own = nil
        latest = nil
    }
}
