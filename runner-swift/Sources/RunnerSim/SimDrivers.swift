import RunnerCore

/// What XCTest does on a device, done to the fixture app.
struct SimTarget: TargetDriver {
    let device: SimDevice

    func state(of bundleId: String?) -> AppState {
        device.withApp { app, _ in
            if bundleId == App.launcher { return app.presence == .front ? .runningBackground : .runningForeground }
            guard bundleId == App.bundleId else { return .notRunning }
            switch app.presence {
            case .front: return .runningForeground
            case .back: return .runningBackground
            case .stopped: return .notRunning
            }
        }
    }

    func processId(of bundleId: String?) -> Int32? {
        device.withApp { app, _ in
            if bundleId == App.launcher { return 50 }
            return bundleId == App.bundleId && app.presence != .stopped ? app.processId : nil
        }
    }

    func activate(_ bundleId: String?) throws {
        try device.withApp { app, now in
            switch bundleId {
            case App.bundleId: app.activate(by: "", now: now)
            case App.launcher: app.goHome()
            default: throw RunnerError(.commandFailed, "app '\(bundleId ?? "")' is not available")
            }
        }
    }

    func terminate(_ bundleId: String) throws {
        device.withApp { app, _ in if bundleId == App.bundleId { app.terminate() } }
    }

    func surfaceInFront() -> SystemSurface? { nil }
    func forgetHandles() {}
}

struct SimElements: ElementDriver {
    let device: SimDevice

    func candidates(for selector: Command.ElementSelector, in bundleId: String?) throws -> [FoundElement] {
        device.withApp { app, now in
            let scene = app.reportedScene(now)
            let wanted = selector.value.lowercased()
            return scene.elements.compactMap { element -> FoundElement? in
                let texts: [String?]
                switch selector.key {
                case .id: texts = [element.id]
                case .label: texts = [element.label]
                case .value: texts = [element.value]
                case .text: texts = [element.label, element.id, element.value]
                }
                guard texts.contains(where: { $0?.lowercased() == wanted }) else { return nil }
                return FoundElement(
                    element.attributes, isHittable: scene.viewport.containsHalfOpen(element.bounds.center), handle: element.key)
            }
        }
    }

    func windowFrame(of bundleId: String?) throws -> Rect? { device.withApp { app, _ in app.viewport } }

    func activate(_ element: FoundElement) throws {
        guard let frame = element.attributes.knownFrame else { return }
        _ = try SimGestures(device: device).tap(frame.center, in: nil, synthesized: false)
    }
}

struct SimGestures: GestureDriver {
    /// How long a finger of a tap is down, in seconds.
    private static let tapDuration = 0.05
    let device: SimDevice

    func referenceSize() throws -> Size { device.withApp { app, _ in app.viewport.size } }

    func tap(_ point: Point, in bundleId: String?, synthesized: Bool) throws -> GestureFallback? {
        device.act { app, now in
            app.touch(Contact(tracks: [[(0, point), (Self.tapDuration, point)]]), end: now)
        }
        return nil
    }
}

/// The three ways to a tree, each with what it can't do.
struct SimSnapshots: SnapshotSource {
    let device: SimDevice

    func backends(for target: CaptureTarget, gate: MainThreadGate) -> [any SnapshotBackend] {
        [SimTree(device: device, gate: gate)]
    }

    func modalProbe(gate: MainThreadGate) -> ((Double) -> ModalProbe)? { nil }
}

struct SimTree: SnapshotBackend {
    let device: SimDevice
    let gate: MainThreadGate
    var kind: BackendKind { .tree }

    func acquire(_ request: AcquisitionRequest) throws(CaptureFailure) -> Acquisition {
        do {
            return try gate.run("tree", budget: request.slice) { [device] in
                device.withApp { app, now in
                    let scene = app.reportedScene(now)
                    return Acquisition(tree: scene.tree(), viewport: scene.viewport)
                }
            }
        } catch let error as RunnerError where error.code == .mainThreadTimeout {
            throw .timedOut
        } catch {
            throw CaptureFailure(message: "\(error)")
        }
    }
}
