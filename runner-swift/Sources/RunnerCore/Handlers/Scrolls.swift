extension CommandHandlers {
    func run(_ scroll: Command.Scroll) throws -> ReplyData {
        try refuseUnless(.iOS, .visionOS, name: "scroll")
        let plan = try ScrollPlan(
            scroll.direction, scroll.distance, in: try viewport(), keyboard: try keyboardFrame(for: .scroll))
        let duration = scroll.durationMs ?? ScrollPlan.defaultDurationMs
        let movements = scroll.release == .controlled
            ? DragProfile.controlledScroll(from: plan.from, to: plan.to, durationMs: duration)
            : DragProfile.inertialScroll(from: plan.from, to: plan.to, durationMs: duration)
        var data = try gesture("scrolled", at: plan.from, to: plan.to) { evidence in
            evidence.reference = plan.reference
            try synthesizeOrRefuse(movements)
        }
        (data.keyboardAvoided, data.keyboardMinY) = (plan.keyboardAvoided, plan.keyboardMinY)
        return data
    }

    /// One event of the wheel, in seconds.
    private static let wheelStep = 0.016

    /// The wheel of a Mac: the way is split, because apps take a single large turn for a small one.
    func desktopScroll(_ scroll: Command.Scroll) throws -> ReplyData {
        try refuseUnless(.macOS, name: "desktopScroll")
        let viewport = try drivers.elements.windowFrame(of: bundleId) ?? viewport()
        let plan = try ScrollPlan(scroll.direction, scroll.distance, in: viewport)
        let steps = max(1, Int((scroll.durationMs ?? ScrollPlan.defaultDurationMs) / 1000 / Self.wheelStep))
        let delta = Size((plan.to.x - plan.from.x) / Double(steps), (plan.to.y - plan.from.y) / Double(steps))
        return try gesture("scrolled", at: plan.from, to: plan.to) { evidence in
            evidence.reference = plan.reference
            for _ in 0..<steps {
                try drivers.gestures.turnWheel(by: delta, at: viewport.center, in: bundleId)
                time.pause(Self.wheelStep)
            }
        }
    }
}
