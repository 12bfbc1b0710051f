#if canImport(AXService)
import AXService
#endif

/// The accessibility server of the simulator in which this process runs.
struct SimulatorSource: TreeSource {
    /// An element that is kept for a later read.
    final class Handle {
        let element: ax_element

        /// Takes over what is retained.
        init(owned element: ax_element) {
            self.element = element
        }

        deinit {
            ax_release(element)
        }
    }

    func foregroundOwner() throws(Failure) -> Int32? {
        var pid: Int32 = 0
        try check(ax_foreground_pid(&pid))
        return pid > 0 ? pid : nil
    }

    func application(_ pid: Int32) throws(Failure) -> Handle {
        var element: ax_element?
        try check(ax_application(pid, &element))
        guard let element else { throw Failure(.applicationElementMissing, "process \(pid) has no element") }
        return Handle(owned: element)
    }

    func read(_ handle: Handle, levels: Int, nodes: Int, seconds: Double) throws(ReadFailure) -> Reading<Handle> {
        let visitor = Visitor(lastLevel: levels - 1)
        let context = Unmanaged.passUnretained(visitor).toOpaque()
        let status = ax_read(handle.element, Int32(clamping: levels), Int32(clamping: nodes), seconds, visit, context)
        if status == AX_DEPTH_REJECTED { throw .depthRejected }
        do throws(Failure) {
            try check(status)
        } catch {
            throw .failed(error)
        }
        return Reading(visitor.elements)
    }

    private func check(_ status: ax_status) throws(Failure) {
        if status == AX_OK { return }
        let code = codes.first { $0.status == status }?.code ?? .snapshotTreeMalformed
        throw Failure(code, String(cString: ax_message()))
    }
}

private let codes: [(status: ax_status, code: Failure.Code)] = [
    (AX_RUNTIME_UNAVAILABLE, .runtimeUnavailable),
    (AX_ELEMENT_MISSING, .applicationElementMissing),
    (AX_SERVER_UNAVAILABLE, .applicationServerUnavailable),
    (AX_TIMEOUT, .applicationTimeout),
    (AX_DEPTH_REJECTED, .depthRejected),
    (AX_VOCABULARY_MISMATCH, .attributeVocabularyMismatch),
    (AX_EXCEPTION, .privateAPIException),
    (AX_EMPTY, .emptyResponse),
    (AX_MALFORMED, .snapshotTreeMalformed),
]

/// Gathers what a read visits.
private final class Visitor {
    let lastLevel: Int
    var elements: [Reading<SimulatorSource.Handle>.Element] = []

    init(lastLevel: Int) {
        self.lastLevel = lastLevel
    }
}

private func visit(_ context: UnsafeMutableRawPointer?, _ node: UnsafePointer<ax_node>?) {
    guard let context, let node = node?.pointee else { return }
    let visitor = Unmanaged<Visitor>.fromOpaque(context).takeUnretainedValue()
    var facts = ElementFacts()
    facts.elementType = node.element_type.map { String(cString: $0) }
    facts.elementBaseType = node.element_base_type.map { String(cString: $0) }
    facts.label = node.label.map { String(cString: $0) }
    facts.value = node.value.map { String(cString: $0) }
    facts.placeholder = node.placeholder.map { String(cString: $0) }
    facts.identifier = node.identifier.map { String(cString: $0) }
    if node.has_frame { facts.frame = .init(x: node.x, y: node.y, width: node.width, height: node.height) }
    if node.has_automation_type { facts.automationType = node.automation_type }
    if node.has_traits { facts.traits = node.traits }
    let depth = Int(node.depth)
    // Only where the tree was cut can an element be read again; one level above as well, should the server count otherwise.
    let handle = depth >= visitor.lastLevel - 1 ? ax_retain(node.element).map(SimulatorSource.Handle.init(owned:)) : nil
    let children = node.children < 0 ? nil : Int(node.children)
    visitor.elements.append(.init(depth: depth, facts: facts, children: children, handle: handle))
}
