extension CommandHandlers {
    /// On the command queue: the capture goes to the main thread in bounded slices, so a hung read can be left behind.
    func run(_ snapshot: Command.SnapshotRequest, _ context: CommandContext) throws -> ReplyData {
        let target = target.target
        let gate = context.gate
        let driver = CaptureDriver(.init(
            backends: drivers.snapshots.backends(gate: gate, memory: memory),
            presenter: Presenter(policy: drivers.platform == .iOS ? .cursorProjected : .plainViewport),
            memory: memory, uptime: { [time] in time.uptime }, hasAbandonedWork: { gate.isBusy },
            probeModal: drivers.snapshots.modalProbe(gate: gate), remembersSlowness: drivers.platform == .iOS))
        let options = SnapshotOptions(
            PresentationOptions(
                interactiveOnly: snapshot.interactiveOnly, depth: snapshot.depth, scope: snapshot.scope, raw: snapshot.raw),
            preferredBackend: snapshot.preferredBackend.flatMap(BackendKind.init), customActions: snapshot.customActions)
        let outcome: CaptureOutcome
        do {
            outcome = try driver.capture(options, of: target.capture, startedAt: context.started)
        } catch {
            invalidateTarget()
            throw error
        }
        if outcome.invalidatesTarget { invalidateTarget() }
        health.withLock { $0 = outcome.health }
        showsPrompt.withLock { $0 = outcome.isModal }
        self.target.settle(for: TargetKeeper.afterSnapshot)
        var data = ReplyData(message: outcome.quality.message)
        data.snapshot = outcome.members
        data.systemSurface = target.surface
        data.runnerFatalReason = outcome.runnerFatalReason
        return data
    }
}
