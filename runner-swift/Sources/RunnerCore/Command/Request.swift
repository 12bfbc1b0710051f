/// What came in: which command, for which app, under which id.
public struct Request: Sendable {
    public var name: CommandName
    /// Tells this send from every other one; nil when the host does not mind.
    public var id: String?
    public var appBundleId: String?
    private let fields: Sent

    /// Containers of `JSONDecoder` are immutable once decoded.
    private struct Sent: @unchecked Sendable { let fields: Fields }

    /// The part that every command has.
    ///
    /// - Throws: `RunnerError` naming the field.
    public init(parsing body: [UInt8]) throws {
        let fields = try Fields.parse(body)
        name = try fields.required(fields.choice("command", of: CommandName.self), "command")
        id = try fields.trimmed("commandId")
        appBundleId = try fields.trimmed("appBundleId")
        self.fields = Sent(fields: fields)
    }

    /// The command's own arguments.
    ///
    /// - Throws: `RunnerError` naming the field.
    public func command() throws -> Command {
        let fields = fields.fields
        switch name {
        case .tap: return .tap(try fields.tap())
        case .mouseClick:
            return .mouseClick(try fields.point(), try fields.choice("button", of: Command.MouseButton.self) ?? .primary)
        case .longPress:
            return .longPress(try fields.point(), durationMs: try fields.duration() ?? 800)
        case .drag:
            return .drag(Command.Drag(
                from: try fields.point(), to: try fields.point("x2", "y2"), durationMs: try fields.duration() ?? 250,
                isSynthesized: try fields.bool("synthesized") ?? false))
        case .scroll: return .scroll(try fields.scroll(usually: ScrollPlan.strokeAmount))
        case .desktopScroll: return .desktopScroll(try fields.scroll(usually: ScrollPlan.wheelAmount))
        case .swipe: return .swipe(try fields.direction())
        case .remotePress:
            let button = try fields.required(fields.choice("remoteButton", of: Command.RemoteButton.self), "remoteButton")
            return .remotePress(button, durationMs: try fields.duration())
        case .gesture: return .gesture(try fields.gesture())
        case .sequence: return .sequence(try fields.sequence())
        case .type: return .type(try fields.typing())
        case .findText: return .findText(try fields.required(fields.string("text"), "text"))
        case .querySelector: return .querySelector(try fields.required(fields.selector(), "selectorValue"))
        case .readText: return .readText(try fields.point())
        case .snapshot: return .snapshot(try fields.snapshot())
        case .screenshot:
            return .screenshot(
                fullscreen: try fields.bool("fullscreen") ?? false, inline: try fields.bool("inlineScreenshot") ?? false)
        case .rotate:
            let word = try fields.required(fields.string("orientation"), "orientation")
            guard let orientation = InterfaceOrientation(name: word) else {
                throw fields.refusal("orientation", "is no orientation")
            }
            return .rotate(orientation)
        case .alert:
            return .alert(
                try fields.choice("action", of: Command.AlertAction.self) ?? .get,
                timeoutMs: try fields.number("timeoutMs", in: 1...600_000))
        case .recordStart:
            let path = try fields.required(fields.trimmed("outPath"), "outPath")
            return .recordStart(outPath: path, fps: try fields.integer("fps", in: 1...120))
        case .status: return .status(of: try fields.required(fields.trimmed("statusCommandId"), "statusCommandId"))
        case .activate, .terminate, .appState:
            _ = try fields.required(appBundleId, "appBundleId")
            return .plain(name)
        case .gestureViewport, .back, .backInApp, .backSystem, .home, .appSwitcher, .actionButton, .keyboardDismiss, .keyboardReturn,
            .recordStop, .targetReset, .uptime, .shutdown:
            return .plain(name)
        }
    }
}

extension Fields {
    /// How long something takes, in ms.
    fileprivate func duration() throws -> Double? { try number("durationMs", in: 0...10_000) }

    fileprivate func point(_ x: String = "x", _ y: String = "y") throws -> Point {
        Point(try required(number(x), x), try required(number(y), y))
    }

    fileprivate func pointIfAny() throws -> Point? {
        try number("x") == nil && number("y") == nil ? nil : point()
    }

    fileprivate func direction() throws -> Command.Direction {
        try required(choice("direction", of: Command.Direction.self), "direction")
    }

    fileprivate func selector() throws -> Command.ElementSelector? {
        let key = try choice("selectorKey", of: Command.ElementSelector.Key.self)
        guard let value = try string("selectorValue") else {
            if key != nil { throw refusal("selectorValue", "is missing") }
            return nil
        }
        return Command.ElementSelector(key: try required(key, "selectorKey"), value: value)
    }

    fileprivate func tap() throws -> Command.Tap {
        let (selector, point) = (try selector(), try pointIfAny())
        if selector == nil && point == nil { throw refusal("x", "or selectorKey has to say what is tapped") }
        return Command.Tap(
            selector: selector, point: point, isSynthesized: try bool("synthesized") ?? false,
            allowsNonHittable: try bool("allowNonHittableCoordinateFallback") ?? false,
            inspectsPoint: try bool("inspectPoint") ?? true)
    }

    fileprivate func scroll(usually amount: Double) throws -> Command.Scroll {
        let pixels = try number("pixels", in: 0...100_000)
        let part = try number("amount", in: 0...100)
        return Command.Scroll(
            direction: try direction(), distance: pixels.map { .pixels($0) } ?? .amount(part ?? amount),
            durationMs: try duration(), release: try choice("scrollReleaseBehavior", of: Command.Scroll.Release.self) ?? .controlled)
    }

    fileprivate func typing() throws -> Command.TypeText {
        Command.TypeText(
            text: try required(string("text"), "text"), selector: try selector(), point: try pointIfAny(),
            delayMs: try number("delayMs", in: 0...10_000) ?? 0,
            mode: try choice("textEntryMode", of: Command.TypeText.Mode.self),
            allowsNonHittable: try bool("allowNonHittableCoordinateFallback") ?? false)
    }

    fileprivate func snapshot() throws -> Command.SnapshotRequest {
        Command.SnapshotRequest(
            interactiveOnly: try bool("interactiveOnly") ?? false, depth: try integer("depth", in: 0...10_000),
            scope: try trimmed("scope"), raw: try bool("raw") ?? false, preferredBackend: try trimmed("preferredBackend"),
            customActions: try bool("customActions") ?? false)
    }

    /// Every step is checked before the first one runs.
    fileprivate func sequence() throws -> [Command.SequenceStep] {
        try objects("steps", count: 1...20).map { step in
            Command.SequenceStep(
                kind: try step.required(step.choice("kind", of: Command.SequenceStep.Kind.self), "kind"), point: try step.point(),
                durationMs: try step.duration(), pauseMs: try step.number("pauseMs", in: 0...10_000) ?? 0,
                isSynthesized: try step.bool("synthesized") ?? false)
        }
    }

    fileprivate func gesture() throws -> Command.GestureRequest {
        let plan = try required(object("gesturePlan"), "gesturePlan")
        let viewport = try plan.required(plan.object("viewport"), "viewport")
        let pointers = try plan.objects("pointers", count: 1...2).map { pointer in
            Command.GestureRequest.Pointer(
                id: try pointer.required(pointer.integer("pointerId", in: 0...1), "pointerId"),
                samples: try pointer.objects("samples", count: 2...10_000).map { sample in
                    let point = try sample.required(sample.object("point"), "point")
                    return Command.GestureRequest.Sample(
                        offsetMs: try sample.required(sample.number("offsetMs"), "offsetMs"), point: try point.point())
                })
        }
        return Command.GestureRequest(
            topology: try plan.required(plan.string("topology"), "topology"),
            intent: try plan.required(plan.string("intent"), "intent"), executionProfile: try plan.string("executionProfile"),
            durationMs: try plan.required(plan.number("durationMs", in: 16...10_000), "durationMs"),
            viewport: Rect(
                try viewport.required(viewport.number("x"), "x"), try viewport.required(viewport.number("y"), "y"),
                try viewport.required(viewport.number("width", in: 0...100_000), "width"),
                try viewport.required(viewport.number("height", in: 0...100_000), "height")),
            pointers: pointers)
    }
}

extension Command {
    /// The traits of the command as it was asked for: reading an alert reads.
    public func traits(of name: CommandName) -> CommandTraits {
        if case .alert(.get, _) = self { return CommandTraits(effect: .reads) }
        return name.traits
    }
}
