import Foundation
import RunnerCore
import XCTest

/// The ways to a tree. XCTest answers on the main thread alone; what takes longer than its slice goes on there, abandoned.
struct Snapshots: SnapshotSource {
    let apps: Apps
    let time: any TimeSource
    private let flight: SingleFlight

    init(apps: Apps, time: any TimeSource) {
        (self.apps, self.time) = (apps, time)
        flight = SingleFlight(queue: BackgroundQueue("AgentDeviceRunner.accessibility"), time: time)
    }

    func backends(gate: MainThreadGate, memory: CaptureMemory) -> [any SnapshotBackend] {
        let main = MainReads(gate: gate)
        var all: [any SnapshotBackend] = [TreeBackend(apps: apps, main: main), QueryBackend(apps: apps, main: main, time: time)]
        #if (os(iOS) && targetEnvironment(simulator)) || CHECK_IOS
            if runner_has_accessibility() { all.append(PrivateBackend(time: time, memory: memory, flight: flight)) }
        #endif
        return all
    }

    func modalProbe(gate: MainThreadGate) -> ((Double) -> ModalProbe)? {
        #if os(iOS) || CHECK_IOS
            return { [apps] seconds in
                (try? gate.run("modal probe", budget: seconds) { try guarded { systemModal(apps) } }) ?? .timedOut
            }
        #else
            return nil
        #endif
    }
}

@MainActor private func systemModal(_ apps: Apps) -> ModalProbe {
    guard let springboard = apps.springboard else { return .none }
    let modals = springboard.alerts.allElementsBoundByIndex + springboard.sheets.allElementsBoundByIndex
    guard let tree = modals.lazy.compactMap({ try? $0.snapshot() }).first else { return .none }
    let inside = tree.flattened.dropFirst().map { NodeAttributes($0) }
    let actions = inside.filter { AlertChoice.actionable.contains($0.type) }
    return .found(ModalSurface(
        title: tree.label.isEmpty ? nil : tree.label, frame: Rect(tree.frame), actions: actions,
        texts: inside.filter { $0.type == .staticText || $0.type == .textView }))
}

/// Reads on the main thread, in slices.
struct MainReads {
    let gate: MainThreadGate

    func run<Value: Sendable>(
        _ name: String, seconds: Double, _ read: @escaping @Sendable () throws -> Value
    ) throws(CaptureFailure) -> Value {
        do {
            return try gate.run(name, budget: seconds, read)
        } catch let failure as CaptureFailure {
            throw failure
        } catch let error as RunnerError {
            throw error.code == .mainThreadTimeout ? .timedOut : CaptureFailure(message: error.message)
        } catch {
            throw CaptureFailure(message: "\(error)")
        }
    }
}

/// The recursive snapshot: one call that occupies the main thread for as long as the app takes.
struct TreeBackend: SnapshotBackend {
    private static let mostRawNodes = 5_000

    let apps: Apps
    let main: MainReads
    var kind: BackendKind { .tree }

    func acquire(_ request: AcquisitionRequest) throws(CaptureFailure) -> Acquisition {
        let end = ProcessInfo.processInfo.systemUptime + request.slice + request.processing
        return try main.run("snapshot", seconds: request.slice + request.processing) { [apps] in
            try guarded {
                let root = try apps.app(request.target.bundleId).snapshot()
                var options = request.raw ? ReadOptions.raw : ReadOptions()
                options.maxNodes = request.raw ? Self.mostRawNodes : nil
                options.maxDepth = request.raw ? request.depth : nil
                do {
                    let read = try SnapshotReader().read(root, options: options) {
                        if ProcessInfo.processInfo.systemUptime > end { throw CaptureFailure.timedOut }
                    }
                    let frame = Rect(root.frame)
                    let app = apps.app(request.target.bundleId)
                    let tree = request.raw ? read.tree : CollapsedTabs.restore(in: read.tree) {
                        ProcessInfo.processInfo.systemUptime > end
                    } find: { type in
                        try guarded { elements(of: type, in: app) }
                    }
                    return Acquisition(
                        tree: tree, viewport: frame,
                        windowSpace: WindowSpace(size: frame.size, orientation: apps.orientation), truncated: read.hasCutTexts)
                } catch let error as NodeLimitExceeded {
                    throw CaptureFailure.tooLarge(limit: error.limit)
                }
            }
        }
    }
}

/// Snapshots of XCTest as nodes.
struct SnapshotReader: NodeReader {
    func attributes(of handle: any XCUIElementSnapshot) -> NodeAttributes { onMain { NodeAttributes(handle) } }
    func children(of handle: any XCUIElementSnapshot) -> [any XCUIElementSnapshot] { onMain { handle.children } }
}

/// A flat sweep of typed queries.
struct QueryBackend: SnapshotBackend {
    let apps: Apps
    let main: MainReads
    let time: any TimeSource
    var kind: BackendKind { .queries }

    func acquire(_ request: AcquisitionRequest) throws(CaptureFailure) -> Acquisition {
        let end = time.uptime + request.slice
        return try main.run("queries", seconds: request.slice + request.processing) { [apps, time] in
            let root = try guarded { NodeAttributes(.application, label: apps.app(request.target.bundleId).label, frame: Rect(apps.app(request.target.bundleId).frame)) }
            return try QuerySweep.run(root: root) { type throws(CaptureFailure) in
                do {
                    return try guarded { elements(of: type, in: apps.app(request.target.bundleId)) }
                } catch let error as RunnerError {
                    throw CaptureFailure(message: error.message)
                } catch {
                    throw CaptureFailure(message: "\(error)")
                }
            } isOver: {
                time.uptime >= end
            }
        }
    }
}

@MainActor private func elements(of type: ElementType, in app: XCUIApplication) -> [NodeAttributes] {
    guard let type = XCUIElement.ElementType(rawValue: type.rawValue) else { return [] }
    return app.descendants(matching: type).allElementsBoundByIndex.compactMap { element in
        (try? element.snapshot()).map { NodeAttributes($0) }
    }
}

/// The accessibility client of the device, which does not go through XCTest's channel, nor through the main thread.
struct PrivateBackend: SnapshotBackend {
    let time: any TimeSource
    let memory: CaptureMemory
    let flight: SingleFlight
    var kind: BackendKind { .privateAX }

    func acquire(_ request: AcquisitionRequest) throws(CaptureFailure) -> Acquisition {
        guard let process = request.target.pid else { throw .failed("the app's process is not known") }
        let capture = PrivateCapture(memory: memory, flight: flight, uptime: { [time] in time.uptime })
        return try capture.acquire(request, from: PrivateReader(process: process, keepsLeaves: request.customActions)) {
            $0.actions
        }
    }
}

/// One read of the accessibility client.
private struct PrivateReader: DepthLimitedReader {
    /// The service's name for an element, which never changes.
    final class Element: @unchecked Sendable {
        let element: runner_element

        /// Takes over what is retained.
        init(owned element: runner_element) { self.element = element }
        deinit { runner_release(element) }

        var actions: [String]? {
            let names = Names()
            let status = runner_actions(
                element,
                { context, name in
                    guard let context, let name else { return }
                    Unmanaged<Names>.fromOpaque(context).takeUnretainedValue().all.append(String(cString: name))
                }, Unmanaged.passUnretained(names).toOpaque())
            return status == RUNNER_OK ? names.all : nil
        }

        private final class Names { var all: [String] = [] }
    }

    let process: Int32
    /// Whether the elements of labelled leaves are kept.
    let keepsLeaves: Bool

    func read(from element: Element?, levels: Int) throws(CaptureFailure) -> DepthLimitedRead<Element> {
        let visitor = Visitor(lastLevel: levels - 1, keepsLeaves: keepsLeaves)
        let status = runner_read(
            process, element?.element, Int32(clamping: levels), Int32(clamping: DepthLadder.mostNodes),
            { context, node in
                guard let context, let node else { return }
                Unmanaged<Visitor>.fromOpaque(context).takeUnretainedValue().visit(node.pointee)
            }, Unmanaged.passUnretained(visitor).toOpaque())
        switch status {
        case RUNNER_OK: return visitor.read
        case RUNNER_TOO_DEEP: throw .axRejected(String(cString: runner_message()))
        default: throw CaptureFailure(message: String(cString: runner_message()))
        }
    }

    /// Gathers what a read visits.
    private final class Visitor {
        private let lastLevel: Int
        private let keepsLeaves: Bool
        private(set) var read = DepthLimitedRead<Element>(tree: RawTree())
        /// The nodes from the root to the one visited last.
        private var path: [Int] = []

        init(lastLevel: Int, keepsLeaves: Bool) { (self.lastLevel, self.keepsLeaves) = (lastLevel, keepsLeaves) }

        func visit(_ node: runner_node) {
            let depth = min(max(0, Int(node.depth)), path.count)
            path.removeLast(path.count - depth)
            var attributes = NodeAttributes(ElementType(rawValue: UInt(node.type)))
            attributes.label = Self.text(node.label)
            attributes.identifier = Self.text(node.identifier)
            attributes.value = attributes.type.value(reported: node.value.map { String(cString: $0) })
            attributes.placeholder = Self.text(node.placeholder)
            if node.has_frame { attributes.frame = Rect(node.x, node.y, node.width, node.height) }
            (attributes.isEnabled, attributes.isSelected, attributes.isFocused) = (node.enabled, node.selected, node.focused)
            let at = read.tree.append(attributes, under: path.last)
            path.append(at)
            // Whether an element at the end of the read has children, the read doesn't say.
            let isLast = depth >= lastLevel
            read.tree.setCut(isLast, of: at)
            let isAsked = keepsLeaves && !node.has_children && attributes.label != nil
            if isLast || isAsked, let element = runner_retain(node.element) { read.elements[at] = Element(owned: element) }
        }

        private static func text(_ text: UnsafePointer<CChar>?) -> String? {
            text.map { String(cString: $0) }.flatMap { $0.isEmpty ? nil : $0 }
        }
    }
}
