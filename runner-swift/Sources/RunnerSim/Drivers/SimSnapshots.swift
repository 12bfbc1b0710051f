import RunnerCore

/// The ways to a tree, each with what it can't do.
struct SimSnapshots: SnapshotSource {
    let device: SimDevice
    let flight: SingleFlight

    func backends(gate: MainThreadGate, memory: CaptureMemory) -> [any SnapshotBackend] {
        let usual: [any SnapshotBackend] = [SimTree(device: device, gate: gate), SimQueries(device: device, gate: gate)]
        return device.platform == .iOS ? usual + [SimPrivateAX(device: device, memory: memory, flight: flight)] : usual
    }

    /// Prompts of the system; alerts of the app are part of its tree.
    func modalProbe(gate: MainThreadGate) -> ((Double) -> ModalProbe)? {
        if device.platform == .macOS { return nil }
        return { seconds in
            do {
                return try gate.run("modal probe", budget: seconds) { [device] in
                    device.withApp { app, now in
                        guard let ask = app.ask, ask.isOfSystem else { return .none }
                        let scene = app.scene(now)
                        guard let at = scene.elements.lastIndex(where: { $0.type == .alert }) else { return .none }
                        let inside = scene.elements.filter { $0.parent == at }.map(\.attributes)
                        return .found(ModalSurface(
                            title: ask.message, frame: scene.elements[at].bounds, actions: inside.filter { $0.type == .button },
                            texts: inside.filter { $0.type == .staticText }))
                    }
                }
            } catch {
                return .timedOut
            }
        }
    }
}

extension SimDevice {
    /// The deepest level that the service serialises.
    var depthLimit: Int { meet(.axDepth) ?? 62 }

    /// The scene as the accessibility service serves it: rejected as a whole where it is too deep, its root alone where it is
    /// degraded.
    func servedScene() throws(CaptureFailure) -> Scene {
        let limit = depthLimit
        let (scene, isDegraded) = withApp { app, now in (app.reportedScene(now), app.isDegraded(now)) }
        if isDegraded { return scene.rootOnly }
        if scene.tree().nodes.contains(where: { $0.depth > limit }) {
            throw .axRejected("Failed to get matching snapshot: kAXErrorIllegalArgument: too many nested arrays")
        }
        return scene
    }

    var captureCost: Double { withApp { app, _ in app.captureCost } }
}

/// The recursive snapshot: one call that occupies the main thread for as long as it takes.
struct SimTree: SnapshotBackend {
    let device: SimDevice
    let gate: MainThreadGate
    var kind: BackendKind { .tree }

    func acquire(_ request: AcquisitionRequest) throws(CaptureFailure) -> Acquisition {
        try onMain(gate, "snapshot", budget: request.slice) { [device] in
            if let milliseconds = device.meet(.treeHang) { device.hang(milliseconds) }
            device.time.pause(device.captureCost)
            if device.meet(.axReject) != nil { throw CaptureFailure(message: "kAXErrorIllegalArgument") }
            let scene = try device.servedScene()
            var options = request.raw ? ReadOptions.raw : ReadOptions()
            // A raw tree says how large it is allowed to become.
            options.maxNodes = request.raw ? 5000 : nil
            options.maxDepth = request.raw ? request.depth : nil
            do {
                let read = try SceneReader(scene, collapsesTabs: device.meet(.collapsedTabs) != nil).read(0, options: options)
                let end = device.time.uptime + request.slice
                let tree = request.raw ? read.tree : CollapsedTabs.restore(in: read.tree) {
                    device.time.uptime >= end
                } find: { type in
                    scene.elements.filter { $0.type == type }.map(\.attributes)
                }
                return Acquisition(tree: tree, viewport: scene.viewport, truncated: read.hasCutTexts)
            } catch let error as NodeLimitExceeded {
                throw CaptureFailure.tooLarge(limit: error.limit)
            }
        }
    }
}

/// A flat sweep of typed queries.
struct SimQueries: SnapshotBackend {
    let device: SimDevice
    let gate: MainThreadGate
    var kind: BackendKind { .queries }

    func acquire(_ request: AcquisitionRequest) throws(CaptureFailure) -> Acquisition {
        let end = device.time.uptime + request.slice
        return try onMain(gate, "queries", budget: request.slice) { [device] in
            device.time.pause(device.captureCost)
            let scene = try device.servedScene()
            return try QuerySweep.run(root: scene.elements[0].attributes) { type throws(CaptureFailure) in
                if let milliseconds = device.meet(.queryTime) { device.hang(milliseconds) }
                if device.meet(.axReject) != nil { throw CaptureFailure(message: "kAXErrorIllegalArgument") }
                return scene.elements.filter { $0.type == type }.map(\.attributes)
            } isOver: {
                device.time.uptime >= end
            }
        }
    }
}

/// The private client: serves a limited number of levels, and reads on from where it was cut. Not on the main thread.
struct SimPrivateAX: SnapshotBackend, DepthLimitedReader {
    let device: SimDevice
    let memory: CaptureMemory
    let flight: SingleFlight
    var kind: BackendKind { .privateAX }

    func acquire(_ request: AcquisitionRequest) throws(CaptureFailure) -> Acquisition {
        device.time.pause(device.captureCost)
        let capture = PrivateCapture(memory: memory, flight: flight, uptime: { [device] in device.time.uptime })
        return try capture.acquire(request, from: self) { [device] element in
            if let milliseconds = device.meet(.actionsHang) { device.hang(milliseconds) }
            return device.withApp { app, now in
                let elements = app.reportedScene(now).elements
                return elements.indices.contains(element) ? elements[element].actions : nil
            }
        }
    }

    func read(from element: Int?, levels: Int) throws(CaptureFailure) -> DepthLimitedRead<Int> {
        let (scene, isDegraded) = device.withApp { app, now in (app.reportedScene(now), app.isDegraded(now)) }
        let reader = SceneReader(isDegraded ? scene.rootOnly : scene)
        if device.meet(.privateReject) != nil { throw .axRejected("kAXErrorIllegalArgument") }
        var read = DepthLimitedRead<Int>(tree: RawTree())
        var deepest = 0
        var pending: [(handle: Int, parent: Int?)] = [(element ?? 0, nil)]
        while let (handle, parent) = pending.popLast() {
            let at = read.tree.append(reader.attributes(of: handle), under: parent)
            let (depth, children) = (read.tree.nodes[at].depth, reader.children(of: handle))
            deepest = max(deepest, depth)
            read.elements[at] = handle
            if depth + 1 < levels {
                pending += children.reversed().map { ($0, at) }
            } else {
                read.tree.setCut(!children.isEmpty, of: at)
            }
        }
        guard deepest <= device.depthLimit else { throw .axRejected("kAXErrorIllegalArgument: too many nested arrays") }
        return read
    }
}

/// Runs a read on the main thread; what takes longer than its slice goes on there, abandoned.
private func onMain(
    _ gate: MainThreadGate, _ name: String, budget: Double, _ read: @escaping @Sendable () throws -> Acquisition
) throws(CaptureFailure) -> Acquisition {
    do {
        return try gate.run(name, budget: budget, read)
    } catch let failure as CaptureFailure {
        throw failure
    } catch let error as RunnerError where error.code == .mainThreadTimeout {
        throw .timedOut
    } catch {
        throw CaptureFailure(message: "\(error)")
    }
}

/// A scene as handles: indexes of its elements.
struct SceneReader: NodeReader {
    private let scene: Scene
    private let inside: [[Int]]

    /// `collapsesTabs`: bars keep their entries to themselves.
    init(_ scene: Scene, collapsesTabs: Bool = false) {
        self.scene = scene
        var inside = [[Int]](repeating: [], count: scene.elements.count)
        for (at, element) in scene.elements.enumerated() {
            guard let parent = element.parent else { continue }
            if collapsesTabs, [.tabBar, .segmentedControl].contains(scene.elements[parent].type) { continue }
            inside[parent].append(at)
        }
        self.inside = inside
    }

    func attributes(of handle: Int) -> NodeAttributes { scene.elements[handle].attributes }
    func children(of handle: Int) -> [Int] { inside[handle] }
}
