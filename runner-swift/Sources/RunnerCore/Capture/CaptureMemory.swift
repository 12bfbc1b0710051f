/// What earlier captures taught: which app's XCTest channel is slow, and how deep a tree its accessibility service serialises.
public final class CaptureMemory: Sendable {
    /// More apps than a run ever has; the oldest lesson makes room.
    static let capacity = 32

    private struct State {
        /// Bundle to the uptime at which its penalty ends. A target without a bundle stands for every app.
        var penalties: [String?: Double] = [:]
        var depths: [CaptureTarget: (depth: Int, until: Double)] = [:]
        /// Bundle to the pid last seen; the inner value is absent while it could not be told.
        var pids: [String?: Int32?] = [:]
        var isWarmUp = false
    }

    private let state = Locked(State())

    public init() {}

    /// To be called when a capture begins. Another process forgets what was learned about the old one, and its first capture
    /// is a warm-up: that an app is slow while it starts says nothing about later.
    public func begin(_ target: CaptureTarget) {
        state.withLock { state in
            let isNew: Bool
            switch (state.pids[target.bundleId], target.pid) {
            case (nil, _): isNew = true
            case (let old??, let pid?): isNew = old != pid
            // A pid that can't be told proves nothing.
            case (.some, _): isNew = false
            }
            state.isWarmUp = isNew
            if target.pid != nil { state.pids[target.bundleId] = .some(target.pid) }
            guard isNew else { return }
            state.penalties[target.bundleId] = nil
            state.depths = state.depths.filter { $0.key.bundleId != target.bundleId }
            if state.pids.count >= Self.capacity { state.pids.removeAll() }
            state.pids[target.bundleId] = .some(target.pid)
        }
    }

    /// Forgets everything: the host has replaced the app's process.
    public func reset() {
        state.withLock { $0 = State() }
    }

    /// Arms the penalty, unless this capture is a warm-up.
    public func penalise(_ target: CaptureTarget, at now: Double) {
        state.withLock { state in
            guard !state.isWarmUp else { return }
            state.penalties = state.penalties.filter { $0.value > now }
            if state.penalties.count < Self.capacity { state.penalties[target.bundleId] = now + CaptureBudget.penalty }
        }
    }

    public func isPenalised(_ bundleId: String?, at now: Double) -> Bool {
        state.withLock { state in
            let active = state.penalties.filter { $0.value > now }
            return bundleId == nil ? !active.isEmpty : active[bundleId] != nil || active[nil] != nil
        }
    }

    /// The depth that was accepted after a deeper one was refused. Using it does not renew it, so that a deeper one is tried
    /// again after a while.
    public func depthHint(_ target: CaptureTarget, at now: Double) -> Int? {
        state.withLock { state in
            guard target.pid != nil, let known = state.depths[target], known.until > now else { return nil }
            return known.depth
        }
    }

    public func learn(depth: Int, of target: CaptureTarget, at now: Double) {
        state.withLock { state in
            state.depths = state.depths.filter { $0.value.until > now }
            if state.depths.count < Self.capacity || state.depths[target] != nil {
                state.depths[target] = (depth, now + CaptureBudget.penalty)
            }
        }
    }
}
