/// Ways out of where the app is.
extension CommandHandlers {
    func home() throws -> ReplyData {
        if drivers.platform == .tvOS {
            try drivers.gestures.press(.home, seconds: nil)
        } else {
            try drivers.screen.pressHome()
        }
        return ReplyData(message: CommandName.home.rawValue)
    }

    func openAppSwitcher() throws -> ReplyData {
        switch drivers.platform {
        case .tvOS:
            try drivers.gestures.press(.home, seconds: nil)
            time.pause(homePressGap)
            try drivers.gestures.press(.home, seconds: nil)
        case .iOS:
            let stroke = BackControl.switcherStroke(in: try viewport())
            try drivers.gestures.drag(from: stroke.from, to: stroke.to, pressSeconds: stroke.press, in: bundleId)
        case .macOS, .visionOS: try refuseUnless(.iOS, .tvOS, name: "appSwitcher")
        }
        return ReplyData(message: CommandName.appSwitcher.rawValue)
    }

    func goBackBySystem() throws -> ReplyData {
        if drivers.platform == .tvOS {
            try drivers.gestures.press(.menu, seconds: nil)
        } else {
            try refuseUnless(.iOS, name: "backSystem")
            let stroke = BackControl.systemStroke(in: try viewport())
            try drivers.gestures.drag(from: stroke.from, to: stroke.to, pressSeconds: stroke.press, in: bundleId)
        }
        return ReplyData(message: CommandName.backSystem.rawValue)
    }

    func goBackInApp(_ name: CommandName) throws -> ReplyData {
        switch drivers.platform {
        case .tvOS: try drivers.gestures.press(.menu, seconds: nil)
        case .macOS:
            let controls = try drivers.elements.buttons(in: bundleId, ofNavigationBar: false)
            guard let control = controls.first(where: { $0.isHittable && BackControl.isMacControl($0.attributes) }) else {
                throw Self.noWayBack
            }
            try press(control)
        case .iOS, .visionOS: try pressBackControl()
        }
        return ReplyData(message: name.rawValue)
    }

    private static let noWayBack = RunnerError(
        .unsupportedOperation, "the app shows no control that leads back", hint: "Try backSystem, or press a control by name.")

    private func pressBackControl() throws {
        let window = try viewport()
        // To list buttons costs full trees, which is what is slow now.
        if !memory.isPenalised(bundleId, at: time.uptime) {
            let bar = try drivers.elements.buttons(in: bundleId, ofNavigationBar: true)
            let others = try drivers.elements.buttons(in: bundleId, ofNavigationBar: false)
            if let control = BackControl.choose(bar: bar, others: others, window: window) { return try press(control) }
        }
        try tapBackCorner(of: window)
    }

    /// Some apps draw their way back without telling accessibility. The corner is only touched where nothing else would take it.
    private func tapBackCorner(of window: Rect) throws {
        let corner = BackControl.corner(of: window)
        let there = try drivers.elements.elements(at: corner, in: bundleId).map(\.attributes.type)
        guard !there.contains(where: AlertChoice.actionable.union(ElementType.textInputs).contains) else { throw Self.noWayBack }
        let before = try drivers.screen.screenshot(fullscreen: false, of: bundleId)
        try drivers.gestures.tap(corner, in: bundleId)
        time.pause(BackControl.settle)
        guard try drivers.screen.screenshot(fullscreen: false, of: bundleId) != before else { throw Self.noWayBack }
    }

    /// A control that was found: its middle, or by the framework where it has none.
    func press(_ control: FoundElement) throws {
        if let frame = control.attributes.knownFrame, frame.isUsable {
            try drivers.gestures.tap(frame.center, in: bundleId)
        } else {
            try drivers.elements.activate(control)
        }
    }
}
