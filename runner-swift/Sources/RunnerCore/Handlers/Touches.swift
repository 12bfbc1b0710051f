extension CommandHandlers {
    // MARK: Tap

    func run(_ tap: Command.Tap) throws -> ReplyData {
        let aim = try aim(tap)
        if drivers.platform == .tvOS { return try selectFocused(aim, named: tap.point, seconds: nil, message: "tapped") }
        let field = aim.element ?? (tap.inspectsPoint ? input(at: aim.point) : nil)
        var data = try gesture("tapped", at: aim.point) { evidence in
            switch aim.touch {
            case .element(let element):
                do {
                    try drivers.elements.activate(element)
                } catch let error as RunnerError where RecordedIssue.meansPerformedTap(error.message) {
                    // It was done, and what it was done to has gone, as after any tap that navigates.
                }
            case .point(let point):
                evidence.fallback = try touch(point, synthesized: tap.isSynthesized, as: .coordinateTap)
            }
        }
        remember(tapped: field?.attributes)
        injectFailure()
        if tap.selector != nil, tap.allowsNonHittable { data.nonHittableCoordinateFallbackUsed = aim.isBlind }
        return data
    }

    /// What a touch is meant for and where it goes.
    struct Aim {
        enum Touch {
            case point(Point)
            /// It has no place: the framework finds its own way.
            case element(FoundElement)
        }

        var touch: Touch
        var element: FoundElement?
        /// Nothing says that a touch there reaches it.
        var isBlind = false

        var point: Point? {
            if case .point(let point) = touch { return point }
            return nil
        }
    }

    private func aim(_ tap: Command.Tap) throws -> Aim {
        if let selector = tap.selector {
            return try aim(at: selector, point: tap.point, allowsNonHittable: tap.allowsNonHittable, miss: .elementNotFound)
        }
        guard let point = tap.point else { throw RunnerError(.invalidArguments, "x and y are missing") }
        return Aim(touch: .point(point))
    }

    /// - Throws: `miss`, `AMBIGUOUS_MATCH` or `ELEMENT_OFFSCREEN`. Nothing was sent.
    func aim(
        at selector: Command.ElementSelector, point: Point?, allowsNonHittable: Bool, miss: ErrorCode
    ) throws -> Aim {
        let candidates = try drivers.elements.candidates(for: selector, in: bundleId)
        let policy: SelectorMatch.Policy = allowsNonHittable ? .allowNonHittable(at: point) : .rejectDistinctMatches
        switch SelectorMatch.choose(selector, among: candidates, policy: policy) {
        case .miss:
            throw RunnerError(miss, "no element that can be touched has \(selector.key.rawValue) '\(selector.value)'")
        case .ambiguous(let count):
            throw RunnerError(
                .ambiguousMatch, "\(count) elements have \(selector.key.rawValue) '\(selector.value)'",
                hint: "Name one of them by something that the others don't have.")
        case .place(let element, let point): return Aim(touch: .point(point), element: element, isBlind: true)
        case .element(let element):
            switch try TapPoint(of: element.attributes, window: drivers.elements.windowFrame(of: bundleId)) {
            case .point(let point): return Aim(touch: .point(point), element: element)
            case .element: return Aim(touch: .element(element), element: element)
            }
        }
    }

    func query(_ selector: Command.ElementSelector) throws -> ReplyData {
        let candidates = try drivers.elements.candidates(for: selector, in: bundleId)
        var data = ReplyData()
        switch SelectorMatch.choose(selector, among: candidates, policy: .preferHittableMatch) {
        case .miss: data.found = false
        case .ambiguous(let count):
            throw RunnerError(.ambiguousMatch, "\(count) elements have \(selector.key.rawValue) '\(selector.value)'")
        case .element(let element), .place(let element, _):
            data.found = true
            let node = PresentedNode(
                RawNode(element.attributes, depth: 0, parent: nil), source: 0, index: 0, rect: element.attributes.frame,
                isHittable: element.isHittable, depth: 0, parentIndex: nil)
            data.snapshot = [.init("nodes", .array([node.json]))]
        }
        return data
    }

    // MARK: Other touches

    func longPress(_ point: Point, durationMs: Double) throws -> ReplyData {
        if drivers.platform == .tvOS {
            return try selectFocused(Aim(touch: .point(point)), seconds: durationMs / 1000, message: "long pressed")
        }
        return try gesture("long pressed", at: point) { _ in
            try drivers.gestures.press(point, seconds: durationMs / 1000, in: bundleId)
        }
    }

    func click(_ point: Point, _ button: Command.MouseButton) throws -> ReplyData {
        try refuseUnless(.macOS, name: "mouseClick")
        guard button != .middle else { throw RunnerError(.unsupportedOperation, "the middle button can't be clicked") }
        return try gesture("clicked", at: point) { _ in try drivers.gestures.click(button, at: point, in: bundleId) }
    }

    func run(_ drag: Command.Drag) throws -> ReplyData {
        try refuseUnless(.iOS, .macOS, .visionOS, name: "drag")
        let kind = SynthesizedGesture.synthesizedDrag
        var (from, to) = (drag.from, drag.to)
        if drag.isSynthesized {
            let keyboard = try keyboardFrame(for: kind)
            (from, to) = KeyboardClip.shift(from: from, to: to, keyboard: keyboard, viewport: try viewport())
        }
        return try gesture("dragged", at: from, to: to) { evidence in
            guard drag.isSynthesized else {
                return try drivers.gestures.drag(from: from, to: to, pressSeconds: DragProfile.plainPress, in: bundleId)
            }
            let movements = DragProfile.continuousDrag(from: from, to: to, durationMs: drag.durationMs)
            evidence.fallback = try synthesize(movements, as: kind, fallback: "xctest-coordinate-drag") {
                let press = DragProfile.fallbackPress(durationMs: drag.durationMs)
                try drivers.gestures.drag(from: from, to: to, pressSeconds: press, in: bundleId)
            }
        }
    }

    func run(_ plan: Command.GestureRequest) throws -> ReplyData {
        try GesturePlan.check(plan, platform: drivers.platform)
        try refuseUnless(.iOS, .macOS, .visionOS, name: "gesture")
        let movements = DragProfile.movements(plan)
        return try gesture(plan.intent, at: nil) { evidence in
            guard movements.pointers.count == 1, let from = movements.pointers[0].first, let to = movements.pointers[0].last else {
                return try synthesizeOrRefuse(movements)
            }
            evidence.fallback = try synthesize(movements, as: .synthesizedDrag, fallback: "xctest-coordinate-drag") {
                let press = DragProfile.fallbackPress(durationMs: plan.durationMs)
                try drivers.gestures.drag(from: from.point, to: to.point, pressSeconds: press, in: bundleId)
            }
        }
    }

    func gestureViewport() throws -> ReplyData {
        var data = ReplyData()
        data.viewport = try viewport()
        return data
    }

    // MARK: Sequences

    /// Stops at the first step that can't be done; the reply says which. What was done before stays done.
    func run(_ steps: [Command.SequenceStep]) throws -> ReplyData {
        try refuseUnless(.iOS, .macOS, .visionOS, name: "sequence")
        try SequencePolicy.check(steps)
        var results: [SequenceResult.Step] = []
        var data = try gesture("sequence", at: steps[0].point) { evidence in
            for (at, step) in steps.enumerated() {
                let start = time.uptime
                var failure: RunnerError?
                do {
                    evidence.fallback = try run(step) ?? evidence.fallback
                } catch let error as RunnerError where error.code == .unsupportedOperation {
                    failure = error
                }
                results.append(SequenceResult.Step(
                    kind: step.kind.rawValue, error: failure, startUptimeMs: start * 1000, endUptimeMs: time.uptime * 1000))
                if failure != nil { break }
                injectFailure()
                let pause = SequencePolicy.pauseSeconds(after: at, of: steps)
                if pause > 0 { time.pause(pause) }
            }
        }
        data.sequence = SequenceResult(steps: results)
        return data
    }

    private func run(_ step: Command.SequenceStep) throws -> GestureFallback? {
        switch step.kind {
        case .tap: return try touch(step.point, synthesized: step.isSynthesized, as: .sequenceTap)
        case .doubleTap: try drivers.gestures.doubleTap(step.point, in: bundleId)
        case .longPress:
            try drivers.gestures.press(step.point, seconds: SequencePolicy.pressSeconds(step), in: bundleId)
        }
        return nil
    }
}

// MARK: What gestures share

extension CommandHandlers {
    /// Does something and says when and where it was done.
    func gesture(
        _ message: String, at from: Point?, to: Point? = nil, _ body: (inout GestureEvidence) throws -> Void
    ) throws -> ReplyData {
        let start = time.uptime
        var evidence = GestureEvidence(startUptimeMs: start * 1000, endUptimeMs: start * 1000)
        try body(&evidence)
        evidence.endUptimeMs = time.uptime * 1000
        if from != nil {
            (evidence.from, evidence.to) = (from, to)
            evidence.reference = evidence.reference ?? (try? drivers.gestures.referenceSize())
        }
        var data = ReplyData(message: message)
        data.gesture = evidence
        return data
    }

    /// One touch, by an event record or by the framework.
    func touch(_ point: Point, synthesized: Bool, as kind: SynthesizedGesture) throws -> GestureFallback? {
        guard synthesized, drivers.platform == .iOS else {
            try drivers.gestures.tap(point, in: bundleId)
            return nil
        }
        return try synthesize(DragProfile.tap(at: point), as: kind, fallback: "xctest-coordinate-tap") {
            try drivers.gestures.tap(point, in: bundleId)
        }
    }

    /// Gives movements to the system; where that is refused before anything was given, does the next best thing and says so.
    func synthesize(
        _ movements: PointerMovements, as kind: SynthesizedGesture, fallback: String, otherwise: () throws -> Void
    ) throws -> GestureFallback? {
        do {
            try drivers.gestures.synthesize(movements, processId: touchedProcess)
            return nil
        } catch let refused as SynthesisRefused {
            guard kind.fallback.isAllowed(health.withLock { $0 }) else {
                throw RunnerError(.unsupportedOperation, "the event record was refused: \(refused.reason)")
            }
            try otherwise()
            return GestureFallback(
                kind: fallback, message: "the event record was refused: \(refused.reason)",
                hint: "The framework's own gesture was used. It waits for the app to be idle.")
        }
    }

    /// Whose touches they are: a record that is addressed to the app does not reach a prompt over it.
    private var touchedProcess: Int32? {
        showsPrompt.withLock { $0 } ? drivers.target.promptProcess ?? target.target.processId : target.target.processId
    }

    func synthesizeOrRefuse(_ movements: PointerMovements) throws {
        do {
            try drivers.gestures.synthesize(movements, processId: touchedProcess)
        } catch let refused as SynthesisRefused {
            throw RunnerError(.unsupportedOperation, "the event record was refused: \(refused.reason)")
        }
    }

    func viewport() throws -> Rect {
        let size = try drivers.gestures.referenceSize()
        guard size.isUsable else { throw RunnerError(.commandFailed, "the gesture viewport is not available") }
        return Rect(origin: Point(0, 0), size: size)
    }

    /// The keyboard, if it may be asked for.
    func keyboardFrame(for kind: SynthesizedGesture) throws -> Rect? {
        guard kind.keyboardProbe.isAllowed(health.withLock { $0 }) else { return nil }
        return try drivers.keyboard.keyboard(in: bundleId)?.frame
    }
}
