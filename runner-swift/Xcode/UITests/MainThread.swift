import Foundation
import RunnerCore
import XCTest

/// Runs work that the compiler wants on the main actor. Drivers are called on the main thread alone, which the compiler can't
/// know: the gate brings every command there.
func onMain<Value>(_ work: @MainActor () throws -> Value) rethrows -> Value {
    dispatchPrecondition(condition: .onQueue(.main))
    return try withoutActuallyEscaping(work) { work in
        try unsafeBitCast(work, to: (() throws -> Value).self)()
    }
}

/// Work that C calls back.
private final class Work {
    let run: () -> Void

    init(_ run: @escaping () -> Void) { self.run = run }

    static let call: @convention(c) (UnsafeMutableRawPointer?) -> Void = { context in
        guard let context else { return }
        Unmanaged<Work>.fromOpaque(context).takeUnretainedValue().run()
    }
}

/// Lets C run the work, by `through`, which is false when an exception was raised.
private func throughC<Value>(
    _ work: @MainActor () throws -> Value, _ through: (@convention(c) (UnsafeMutableRawPointer?) -> Void, UnsafeMutableRawPointer) -> Bool
) throws -> Value {
    var result: Result<Value, any Error>?
    let ended = withoutActuallyEscaping(work) { work in
        let box = Work { result = Result { try onMain(work) } }
        return withExtendedLifetime(box) { through(Work.call, Unmanaged.passUnretained(box).toOpaque()) }
    }
    guard ended, let result else { throw RunnerError(.commandFailed, String(cString: runner_message())) }
    return try result.get()
}

/// Work with XCTest that may raise an Objective-C exception, which becomes an error.
func guarded<Value>(_ work: @MainActor () throws -> Value) throws -> Value {
    try throughC(work) { call, context in runner_catch(call, context) }
}

/// An interaction past XCTest's waits for an idle app: an app that animates for ever is never idle, and can still be used.
func withoutWaits<Value>(of app: XCUIApplication, _ work: @MainActor () throws -> Value) throws -> Value {
    try throughC(work) { call, context in runner_without_waits(Unmanaged.passUnretained(app).toOpaque(), call, context) }
}
