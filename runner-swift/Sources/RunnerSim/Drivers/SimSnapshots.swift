import RunnerCore

/// The ways to a tree, each with what it can't do.
struct SimSnapshots: SnapshotSource {
    let device: SimDevice

    func backends(for target: CaptureTarget, gate: MainThreadGate) -> [any SnapshotBackend] {
        [SimTree(device: device, gate: gate), SimQueries(device: device, gate: gate)]
    }

    /// Prompts of the system; alerts of the app are part of its tree.
    func modalProbe(gate: MainThreadGate) -> ((Double) -> ModalProbe)? {
        { seconds in
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
    static let usualDepthLimit = 62

    /// The scene as the accessibility service serves it: rejected as a whole where it is too deep, its root alone where it is
    /// degraded.
    func servedScene() throws(CaptureFailure) -> Scene {
        let limit = faults.first { $0.0 == .axDepth }?.1 ?? Self.usualDepthLimit
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
                let read = try SceneReader(scene).read(0, options: options)
                return Acquisition(tree: read.tree, viewport: scene.viewport, truncated: read.hasCutTexts)
            } catch let error as NodeLimitExceeded {
                throw CaptureFailure.tooLarge(limit: error.limit)
            }
        }
    }
}

/// A flat sweep of typed queries.
struct SimQueries: SnapshotBackend {
    private static let types: [ElementType] = [
        .button, .link, .textField, .secureTextField, .searchField, .textView, .switch, .slider, .segmentedControl, .cell,
        .collectionView, .table, .scrollView, .picker, .stepper, .tabBar, .menuItem, .staticText, .image,
    ]

    let device: SimDevice
    let gate: MainThreadGate
    var kind: BackendKind { .queries }

    func acquire(_ request: AcquisitionRequest) throws(CaptureFailure) -> Acquisition {
        try onMain(gate, "queries", budget: request.slice) { [device] in
            if let milliseconds = device.faults.first(where: { $0.0 == .queryTime })?.1 { device.hang(milliseconds) }
            device.time.pause(device.captureCost)
            if device.meet(.axReject) != nil { throw CaptureFailure(message: "kAXErrorIllegalArgument") }
            let scene = try device.servedScene()
            var tree = RawTree()
            let root = tree.append(scene.elements[0].attributes, under: nil)
            for type in Self.types {
                for element in scene.elements where element.type == type { tree.append(element.attributes, under: root) }
            }
            return Acquisition(tree: tree, viewport: scene.viewport)
        }
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

    init(_ scene: Scene) {
        self.scene = scene
        var inside = [[Int]](repeating: [], count: scene.elements.count)
        for (at, element) in scene.elements.enumerated() {
            if let parent = element.parent { inside[parent].append(at) }
        }
        self.inside = inside
    }

    func attributes(of handle: Int) throws -> NodeAttributes { scene.elements[handle].attributes }
    func children(of handle: Int) throws -> [Int] { inside[handle] }
}
