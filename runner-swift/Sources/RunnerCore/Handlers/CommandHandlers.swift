/// Runs commands on a platform: one file for each area of commands, this one says which is which.
public final class CommandHandlers: CommandHandling {
    let drivers: Drivers
    let memory: CaptureMemory
    let target: TargetKeeper
    let time: any TimeSource
    /// Whether accessibility answered the latest capture.
    let health = Locked(AXHealth.unknown)
    let witness = Locked(TapWitness?.none)
    /// Whether the latest look showed a prompt of the system, and nothing was done since: touches are then meant for it.
    let showsPrompt = Locked(false)
    let failures: any FailureCounter
    let injection: (any FailureInjection)?
    /// Between the two presses of the home button that open the app switcher of tvOS, in seconds.
    let homePressGap: Double

    public init(
        _ drivers: Drivers, time: any TimeSource, failures: any FailureCounter, injection: (any FailureInjection)? = nil,
        homePressGap: Double = 0, memory: CaptureMemory = CaptureMemory()
    ) {
        self.drivers = drivers
        self.time = time
        self.failures = failures
        self.injection = injection
        self.homePressGap = homePressGap
        self.memory = memory
        target = TargetKeeper(drivers.target, time: time)
    }

    public func prepareTarget(for request: Request, _ command: Command) throws -> Double {
        try target.prepare(request.appBundleId, for: command, command.traits(of: request.name))
    }

    public func invalidateTarget() { target.invalidate() }

    public func run(_ command: Command, _ request: Request, _ context: CommandContext) throws -> ReplyData {
        // Only a tap says where typed text will go, and only until something else is done.
        if command.traits(of: request.name).effect != .reads, request.name != .tap, request.name != .type {
            witness.withLock { $0 = nil }
        }
        defer {
            if command.traits(of: request.name).effect != .reads { showsPrompt.withLock { $0 = false } }
        }
        return switch command {
        case .tap(let tap): try run(tap)
        case .mouseClick(let point, let button): try click(point, button)
        case .longPress(let point, let duration): try longPress(point, durationMs: duration)
        case .drag(let drag): try run(drag)
        case .scroll(let scroll): try run(scroll)
        case .desktopScroll(let scroll): try desktopScroll(scroll)
        case .swipe(let direction): try swipe(direction)
        case .remotePress(let button, let duration): try press(button, durationMs: duration)
        case .gesture(let plan): try run(plan)
        case .sequence(let steps): try run(steps)
        case .snapshot(let snapshot): try run(snapshot, context)
        case .findText(let text): try findText(text)
        case .querySelector(let selector): try query(selector)
        case .readText(let point): try readText(at: point)
        case .screenshot(let fullscreen, let inline): try screenshot(fullscreen: fullscreen, inline: inline)
        case .rotate(let orientation): try rotate(to: orientation)
        case .recordStart(let path, let fps): try startRecording(to: path, fps: fps)
        case .type(let typing): try run(typing)
        case .alert(let action, let timeoutMs): try alert(action, timeoutMs: timeoutMs, started: context.started)
        case .status: throw RunnerError(.commandFailed, "the session answers this itself")
        case .plain(let name): try run(name, request)
        }
    }

    private func run(_ name: CommandName, _ request: Request) throws -> ReplyData {
        switch name {
        case .gestureViewport: return try gestureViewport()
        case .keyboardDismiss: return try dismissKeyboard()
        case .keyboardReturn: return try pressReturn()
        case .back, .backInApp: return try goBackInApp(name)
        case .backSystem: return try goBackBySystem()
        case .home: return try home()
        case .appSwitcher: return try openAppSwitcher()
        case .actionButton:
            try drivers.screen.pressActionButton()
            return ReplyData(message: name.rawValue)
        case .recordStop: return try stopRecording()
        // The app came forward when the target was prepared.
        case .activate: return ReplyData(message: "app activated")
        case .terminate: return try terminate(request.appBundleId ?? "")
        case .appState: return state(of: request.appBundleId)
        case .targetReset: return resetTarget()
        default: throw RunnerError(.commandFailed, "\(name.rawValue) has arguments")
        }
    }

    /// The app, or the system's surface in its place, that the running command acts on.
    var bundleId: String? { target.target.bundleId }

    func refuseUnless(_ platforms: Platform..., name: String) throws {
        guard platforms.contains(drivers.platform) else {
            throw RunnerError(.unsupportedOperation, "\(name) is not supported on \(drivers.platform.rawValue)")
        }
    }
}
