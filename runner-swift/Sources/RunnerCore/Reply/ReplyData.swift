/// What a successful command says. Every field is optional on the wire; hosts older than a field ignore it.
public struct ReplyData: Equatable, Sendable {
    public var message: String?
    public var imageBase64: String?
    public var text: String?
    public var found: Bool?
    public var items: [String]?
    /// The snapshot's own part: nodes and what is known about them.
    public var snapshot: [JSON.Member] = []
    public var systemSurface: SystemSurface?
    public var gesture: GestureEvidence?
    /// The place that was touched beside a gesture.
    public var point: Point?
    /// `x, y` is its origin, `x2, y2` its size.
    public var viewport: Rect?
    public var commandId: String?
    public var lifecycle: Lifecycle?
    public var visible: Bool?
    public var wasVisible: Bool?
    public var dismissed: Bool?
    public var keyboardDismissMechanism: String?
    public var orientation: String?
    public var keyboardAvoided: Bool?
    public var keyboardMinY: Double?
    public var nonHittableCoordinateFallbackUsed: Bool?
    public var textEntryRoute: String?
    /// What is known of the field after typing: `verified`, `reformatted` or `unobserved`.
    public var textEntryVerification: String?
    public var runnerFatalReason: String?
    public var sequence: SequenceResult?
    public var applicationState: String?
    public var currentUptimeMs: Double?
    public var runnerMainThreadBusy: Bool?

    public init(message: String? = nil) {
        self.message = message
    }

    /// The answer is usable, but the host has to throw the session away.
    public var isRunnerFatal: Bool { runnerFatalReason != nil }

    func json() -> JSON {
        var members: [JSON.Member] = []
        func add(_ name: String, _ value: JSON?) {
            if let value { members.append(.init(name, value)) }
        }
        add("message", message.map(JSON.string))
        add("imageBase64", imageBase64.map(JSON.string))
        add("text", text.map(JSON.string))
        add("found", found.map(JSON.bool))
        add("items", items.map { .array($0.map(JSON.string)) })
        members += snapshot
        add("systemSurface", systemSurface?.json)
        members += gesture?.members ?? []
        if let point { members += [.init("x", .number(point.x)), .init("y", .number(point.y))] }
        if let viewport {
            members += [
                .init("x", .number(viewport.x)), .init("y", .number(viewport.y)), .init("x2", .number(viewport.width)),
                .init("y2", .number(viewport.height)),
            ]
        }
        add("commandId", commandId.map(JSON.string))
        members += lifecycle?.members ?? []
        add("visible", visible.map(JSON.bool))
        add("wasVisible", wasVisible.map(JSON.bool))
        add("dismissed", dismissed.map(JSON.bool))
        add("keyboardDismissMechanism", keyboardDismissMechanism.map(JSON.string))
        add("orientation", orientation.map(JSON.string))
        add("keyboardAvoided", keyboardAvoided.map(JSON.bool))
        add("keyboardMinY", keyboardMinY.map(JSON.number))
        add("maestroNonHittableCoordinateFallbackUsed", nonHittableCoordinateFallbackUsed.map(JSON.bool))
        add("textEntryRoute", textEntryRoute.map(JSON.string))
        add("textEntryVerification", textEntryVerification.map(JSON.string))
        add("runnerFatal", isRunnerFatal ? true : nil)
        add("runnerFatalReason", runnerFatalReason.map(JSON.string))
        members += sequence?.members ?? []
        add("applicationState", applicationState.map(JSON.string))
        add("currentUptimeMs", currentUptimeMs.map(JSON.number))
        add("runnerMainThreadBusy", runnerMainThreadBusy.map(JSON.bool))
        return .object(members)
    }
}

/// A surface of the system that is served in place of the app.
public struct SystemSurface: Equatable, Sendable {
    public var bundleId: String
    public var kind: String

    public init(bundleId: String, kind: String) {
        self.bundleId = bundleId
        self.kind = kind
    }

    var json: JSON { .object([.init("bundleId", .string(bundleId)), .init("kind", .string(kind))]) }
}

/// When a gesture ran, and where.
public struct GestureEvidence: Equatable, Sendable {
    /// System uptime, in ms, of the same clock as `currentUptimeMs`.
    public var startUptimeMs: Double
    public var endUptimeMs: Double
    /// In points of the app's window.
    public var from: Point?
    public var to: Point?
    public var reference: Size?
    public var fallback: GestureFallback?

    public init(startUptimeMs: Double, endUptimeMs: Double) {
        self.startUptimeMs = startUptimeMs
        self.endUptimeMs = endUptimeMs
    }

    var members: [JSON.Member] {
        var members: [JSON.Member] = [
            .init("gestureStartUptimeMs", .number(startUptimeMs)), .init("gestureEndUptimeMs", .number(endUptimeMs)),
        ]
        if let from { members += [.init("x", .number(from.x)), .init("y", .number(from.y))] }
        if let to { members += [.init("x2", .number(to.x)), .init("y2", .number(to.y))] }
        if let reference {
            members += [
                .init("referenceWidth", .number(reference.width)), .init("referenceHeight", .number(reference.height)),
            ]
        }
        if let fallback {
            members += [
                .init("gestureFallback", .string(fallback.kind)), .init("gestureFallbackMessage", .string(fallback.message)),
                .init("gestureFallbackHint", .string(fallback.hint)),
            ]
        }
        return members
    }
}

/// The way that was taken because the usual one was refused.
public struct GestureFallback: Equatable, Sendable {
    public var kind: String
    public var message: String
    public var hint: String

    public init(kind: String, message: String, hint: String) {
        self.kind = kind
        self.message = message
        self.hint = hint
    }
}

/// What became of the steps of a sequence.
public struct SequenceResult: Equatable, Sendable {
    public struct Step: Equatable, Sendable {
        public var kind: String
        public var error: RunnerError?
        public var startUptimeMs: Double
        public var endUptimeMs: Double

        public init(kind: String, error: RunnerError? = nil, startUptimeMs: Double, endUptimeMs: Double) {
            self.kind = kind
            self.error = error
            self.startUptimeMs = startUptimeMs
            self.endUptimeMs = endUptimeMs
        }

        var json: JSON {
            .known([
                ("ok", .bool(error == nil)), ("kind", .string(kind)),
                ("errorCode", error.map { .string($0.code.rawValue) }), ("errorMessage", error.map { .string($0.message) }),
                ("gestureStartUptimeMs", .number(startUptimeMs)), ("gestureEndUptimeMs", .number(endUptimeMs)),
            ])
        }
    }

    public var steps: [Step]

    public init(steps: [Step]) {
        self.steps = steps
    }

    var members: [JSON.Member] {
        var members: [JSON.Member] = [.init("completedSteps", .integer(steps.filter { $0.error == nil }.count))]
        if let failed = steps.firstIndex(where: { $0.error != nil }) {
            members.append(.init("failedStepIndex", .integer(failed)))
        }
        members.append(.init("sequenceResults", .array(steps.map(\.json))))
        return members
    }
}

/// What the journal knows of a command.
public struct Lifecycle: Equatable, Sendable {
    public var state: JournalState
    public var command: String?
    public var responseOk: Bool?
    /// The retained reply, without stamps.
    public var responseJson: String?
    public var error: RunnerError?

    var members: [JSON.Member] {
        var members: [JSON.Member] = [.init("lifecycleState", .string(state.rawValue))]
        func add(_ name: String, _ value: JSON?) {
            if let value { members.append(.init(name, value)) }
        }
        add("lifecycleCommand", command.map(JSON.string))
        add("lifecycleResponseOk", responseOk.map(JSON.bool))
        add("lifecycleResponseJson", responseJson.map(JSON.string))
        add("lifecycleErrorCode", error.map { .string($0.code.rawValue) })
        add("lifecycleErrorMessage", error.map { .string($0.message) })
        add("lifecycleErrorHint", error?.hint.map(JSON.string))
        return members
    }
}
