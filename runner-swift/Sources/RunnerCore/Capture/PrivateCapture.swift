/// A capture through an accessibility client of its own: limited in depth, and the one that can be asked for custom actions.
public struct PrivateCapture {
    private let ladder: DepthLadder
    private let flight: SingleFlight

    /// - Parameter flight: the reads of custom actions, of this capture and of those before it.
    public init(memory: CaptureMemory, flight: SingleFlight, uptime: @escaping () -> Double) {
        ladder = DepthLadder(memory: memory, uptime: uptime)
        self.flight = flight
    }

    /// - Parameter actions: the names of an element's custom actions; `nil` where it could not say. Called beside the caller's
    ///   thread, and only where they are asked for.
    public func acquire<Reader: DepthLimitedReader>(
        _ request: AcquisitionRequest, from reader: Reader, actions: @escaping @Sendable (Reader.Element) -> [String]?
    ) throws(CaptureFailure) -> Acquisition where Reader.Element: Sendable {
        let result = try ladder.capture(reader, depth: request.depth, of: request.target, deadline: request.deadline)
        let viewport = result.tree.nodes.first?.attributes.knownFrame
        var acquisition = Acquisition(
            tree: result.tree, viewport: viewport, truncated: result.truncated, effectiveDepth: result.effectiveDepth)
        if request.customActions {
            acquisition.customActions = CustomActions.add(
                to: &acquisition.tree, of: result.elements, viewport: viewport, deadline: request.deadline,
                uptime: ladder.uptime, flight: flight, read: actions)
        }
        return acquisition
    }
}
