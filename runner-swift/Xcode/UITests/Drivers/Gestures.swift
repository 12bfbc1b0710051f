import Foundation
import RunnerCore
import XCTest

/// Fingers, mouse and remote.
struct Gestures: GestureDriver {
    let apps: Apps

    func referenceSize() throws -> Size {
        try guarded {
            let size = XCUIScreen.main.screenshot().image.size
            return Size(size.width, size.height)
        }
    }

    func synthesize(_ movements: PointerMovements, processId: Int32?) throws {
        #if os(iOS) || CHECK_IOS
            guard let processId, processId > 0 else { throw SynthesisRefused("the app's process is not known") }
            let space = try WindowSpace(size: referenceSize(), orientation: apps.orientation)
            let samples = movements.pointers.map { pointer in
                pointer.map { sample in
                    let point = space.native(sample.point)
                    return runner_sample(offset: sample.offset, x: point.x, y: point.y)
                }
            }
            try check(play(samples[...], paths: [], processId))
        #else
            throw SynthesisRefused("event records are used on iOS alone")
        #endif
    }

    /// Keeps every pointer's samples in place until the last one is there.
    private func play(_ rest: ArraySlice<[runner_sample]>, paths: [runner_path], _ processId: Int32) -> runner_status {
        guard let first = rest.first else { return runner_play(paths, Int32(clamping: paths.count), processId) }
        return first.withUnsafeBufferPointer { samples in
            let path = runner_path(samples: samples.baseAddress, count: Int32(clamping: samples.count))
            return play(rest.dropFirst(), paths: paths + [path], processId)
        }
    }

    // MARK: By coordinates

    @MainActor private func place(_ point: Point, in bundleId: String?) -> XCUICoordinate {
        apps.app(bundleId).coordinate(withNormalizedOffset: CGVector(dx: 0, dy: 0)).withOffset(CGVector(dx: point.x, dy: point.y))
    }

    private func act(in bundleId: String?, _ work: @MainActor () -> Void) throws {
        try withoutWaits(of: onMain { apps.app(bundleId) }, work)
    }

    func tap(_ point: Point, in bundleId: String?) throws {
        #if os(tvOS) || CHECK_TVOS
            throw Self.noTouch
        #elseif os(macOS) || CHECK_MACOS
            try act(in: bundleId) { place(point, in: bundleId).click() }
        #else
            try act(in: bundleId) { place(point, in: bundleId).tap() }
        #endif
    }

    func doubleTap(_ point: Point, in bundleId: String?) throws {
        #if os(tvOS) || CHECK_TVOS
            throw Self.noTouch
        #elseif os(macOS) || CHECK_MACOS
            try act(in: bundleId) { place(point, in: bundleId).doubleClick() }
        #else
            try act(in: bundleId) { place(point, in: bundleId).doubleTap() }
        #endif
    }

    func press(_ point: Point, seconds: Double, in bundleId: String?) throws {
        #if os(tvOS) || CHECK_TVOS
            throw Self.noTouch
        #else
            try act(in: bundleId) { place(point, in: bundleId).press(forDuration: seconds) }
        #endif
    }

    func drag(from: Point, to: Point, pressSeconds: Double, in bundleId: String?) throws {
        #if os(tvOS) || CHECK_TVOS
            throw Self.noTouch
        #else
            try act(in: bundleId) {
                place(from, in: bundleId).press(forDuration: pressSeconds, thenDragTo: place(to, in: bundleId))
            }
        #endif
    }

    #if os(tvOS) || CHECK_TVOS
        private static let noTouch = RunnerError(.unsupportedOperation, "there is no touch on tvOS", hint: "Move the focus there.")

        func press(_ button: Command.RemoteButton, seconds: Double?) throws {
            let known: XCUIRemote.Button = switch button {
            case .select: .select
            case .menu: .menu
            case .home: .home
            case .up: .up
            case .down: .down
            case .left: .left
            case .right: .right
            }
            try act(in: nil) {
                if let seconds { XCUIRemote.shared.press(known, forDuration: seconds) } else { XCUIRemote.shared.press(known) }
            }
        }
    #endif

    #if os(macOS) || CHECK_MACOS
        func click(_ button: Command.MouseButton, at point: Point, in bundleId: String?) throws {
            try act(in: bundleId) {
                if button == .secondary { place(point, in: bundleId).rightClick() } else { place(point, in: bundleId).click() }
            }
        }

        func turnWheel(by delta: Size, at point: Point, in bundleId: String?) throws {
            try act(in: bundleId) { place(point, in: bundleId).scroll(byDeltaX: delta.width, deltaY: delta.height) }
        }
    #endif
}

/// What became of a private call.
func check(_ status: runner_status) throws {
    if status == RUNNER_OK { return }
    let message = String(cString: runner_message())
    if status == RUNNER_REFUSED { throw SynthesisRefused(message) }
    throw RunnerError(.commandFailed, message)
}

extension Apps {
    /// How the interface of the app that was reached last is turned.
    var orientation: InterfaceOrientation {
        let known = onMain { runner_orientation(Unmanaged.passUnretained(current).toOpaque()) }
        return InterfaceOrientation(rawValue: Int(known)) ?? .unknown
    }
}
