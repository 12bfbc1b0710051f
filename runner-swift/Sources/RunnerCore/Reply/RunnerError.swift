/// Why a command failed, as the host reads it. The host decides by the code alone whether the app may have been touched, so a
/// code that means "refused" may only be used before anything is sent to the app.
public enum ErrorCode: String, CaseIterable, Sendable {
    case invalidArguments = "INVALID_ARGS"
    case unsupportedOperation = "UNSUPPORTED_OPERATION"
    case unauthorized = "UNAUTHORIZED"
    case ambiguousMatch = "AMBIGUOUS_MATCH"
    case elementNotFound = "ELEMENT_NOT_FOUND"
    case noMatch = "NO_MATCH"
    case invalidTarget = "INVALID_TARGET"
    case elementOffscreen = "ELEMENT_OFFSCREEN"
    /// What a press of the remote would mean does not have the focus.
    case targetNotFocused = "TARGET_NOT_FOCUSED"
    case textEntryMismatch = "TEXT_ENTRY_MISMATCH"
    case textInputNotFocused = "TEXT_INPUT_NOT_FOCUSED"
    case textInputSynthesisUnavailable = "TEXT_INPUT_SYNTHESIS_UNAVAILABLE"
    case textInputCommitNotObserved = "TEXT_INPUT_COMMIT_NOT_OBSERVED"
    case scrollKeyboardOccludesSurface = "SCROLL_KEYBOARD_OCCLUDES_SURFACE"
    case alertNotFound = "ALERT_NOT_FOUND"
    case alertDeadlineExceeded = "ALERT_DEADLINE_EXCEEDED"
    case alertConfirmationUnavailable = "ALERT_CONFIRMATION_UNAVAILABLE"
    case interactionFailed = "INTERACTION_FAILED"
    case commandFailed = "COMMAND_FAILED"
    /// The id was run before and its reply is no longer at hand. It did run: no refusal.
    case commandAlreadyCompleted = "COMMAND_ALREADY_COMPLETED"
    case mainThreadTimeout = "MAIN_THREAD_TIMEOUT"
    case runnerBusy = "RUNNER_BUSY"
    case runnerWedged = "RUNNER_WEDGED"
    case recordedFailure = "XCTEST_RECORDED_FAILURE"
    case snapshotFailed = "IOS_AX_SNAPSHOT_FAILED"
    case rawSnapshotTooLarge = "IOS_RAW_SNAPSHOT_TOO_LARGE"
    case snapshotProjectionMismatch = "IOS_SNAPSHOT_PROJECTION_MISMATCH"
    case snapshotPresentationFailed = "IOS_SNAPSHOT_PRESENTATION_FAILED"
    case appNotRunning = "APP_NOT_RUNNING"
    case screenWindowUnresolved = "APP_SCREEN_WINDOW_UNRESOLVED"
    case screenUnresolved = "APP_SCREEN_UNRESOLVED"
    case screenCaptureUnrenderable = "APP_SCREEN_CAPTURE_UNRENDERABLE"
}

/// A failed command.
public struct RunnerError: Error, Equatable, Sendable {
    public var code: ErrorCode
    public var message: String
    /// What to do about it, where the code alone would mislead.
    public var hint: String?

    public init(_ code: ErrorCode, _ message: String, hint: String? = nil) {
        self.code = code
        self.message = message
        self.hint = hint
    }

    var json: JSON {
        .known([("code", .string(code.rawValue)), ("message", .string(message)), ("hint", hint.map(JSON.string))])
    }
}
