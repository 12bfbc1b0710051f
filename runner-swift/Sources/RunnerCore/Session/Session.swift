import Foundation

/// The life of every command: in, once, through the gate, out.
///
/// Connections call `answer` on their own threads. What needs the app goes through one serial queue, one command at a time.
public final class Session: Sendable {
    public typealias Stop = @Sendable () -> Void

    private let handler: any CommandHandling
    private let gate: MainThreadGate
    private let time: any TimeSource
    private let failures: any FailureCounter
    private let markers: Markers
    private let journal = Journal()
    private let queue = DispatchQueue(label: "agent-device.commands")
    private let ended = Latch()
    private let retriesReads: Bool

    public init(
        handler: any CommandHandling, gate: MainThreadGate, time: any TimeSource, failures: any FailureCounter, markers: Markers,
        retriesReads: Bool = true
    ) {
        self.handler = handler
        self.gate = gate
        self.time = time
        self.failures = failures
        self.markers = markers
        self.retriesReads = retriesReads
    }

    /// Opens when `shutdown` was answered.
    public var end: Latch { ended }

    /// Answers one request. Blocks its thread until the reply is there.
    public func answer(_ http: HTTPRequest) -> HTTPResponse {
        guard http.method == "POST" else {
            return HTTPResponse(status: 405, refusing: RunnerError(.invalidArguments, "commands are posted"))
        }
        let request: Request
        do {
            request = try Request(parsing: http.body)
        } catch {
            return response(.failure(Self.runnerError(error), status: 400))
        }
        return response(answer(request))
    }

    private func response(_ reply: Reply) -> HTTPResponse {
        let stamps = Stamps(uptimeMs: time.uptime * 1000, mainThreadBusy: gate.isBusy)
        return HTTPResponse(status: reply.status, json: reply.json(stampedWith: stamps))
    }

    private func answer(_ request: Request) -> Reply {
        if request.name.traits.place == .connection { return answerAtOnce(request) }
        let (latch, box) = (Latch(), Locked(Reply?.none))
        let waiter: Journal.Waiter = { reply in
            box.withLock { $0 = reply }
            latch.open()
        }
        if let id = request.id {
            switch journal.accept(id, request.name, waiter: waiter) {
            case .finished(let reply): return reply
            case .attached: break
            case .run: queue.async { [self] in journal.finish(id, execute(request)) }
            }
        } else {
            queue.async { [self] in waiter(execute(request)) }
        }
        // Every part of a command is bounded, so this ends.
        while !latch.wait(seconds: 3600) {}
        return box.withLock { $0 } ?? .failure(RunnerError(.commandFailed, "the command ended without a reply"), status: 500)
    }

    /// Never queued, never remembered, never on the main thread.
    private func answerAtOnce(_ request: Request) -> Reply {
        do {
            var data = ReplyData()
            if case .status(let id) = try request.command() {
                data.commandId = id
                data.lifecycle = journal.status(of: id)
            }
            return .success(data)
        } catch {
            return .failure(Self.runnerError(error), status: 400)
        }
    }

    // MARK: On the command queue

    private func execute(_ request: Request) -> Reply {
        let command: Command
        do {
            command = try request.command()
        } catch {
            return .failure(Self.runnerError(error), status: 400)
        }
        if let id = request.id { journal.start(id) }
        if request.name == .shutdown {
            ended.open()
            return .success(ReplyData(message: "shutdown"))
        }
        if let refusal = gate.refusal() { return .failure(refusal) }
        let traits = command.traits(of: request.name)
        let before = failures.failures
        var reply = attempt(request, command, traits)
        if traits.isRead, retriesReads, isWorthAnotherLook(reply, request.name), gate.refusal() == nil {
            handler.invalidateTarget()
            time.pause(0.2)
            reply = attempt(request, command, traits)
        }
        if reply.status == 500 { handler.invalidateTarget() }
        if failures.failures > before, reply.isSuccess, reply.data?.isRunnerFatal == false, traits.convertsRecordedFailure {
            handler.invalidateTarget()
            return .failure(RunnerError(
                .recordedFailure, "XCTest recorded a failure during \(request.name.rawValue): it may not have been performed",
                hint: "Look at the screen before you act again."))
        }
        return reply
    }

    private func attempt(_ request: Request, _ command: Command, _ traits: CommandTraits) -> Reply {
        let context = CommandContext(gate: gate, time: time, markers: markers, started: time.uptime)
        do {
            if traits.needsApp {
                let settled = try gate.run("prepare \(request.name.rawValue)") { [handler] in
                    try handler.prepareTarget(for: request, command)
                }
                if settled > time.uptime { time.pause(settled - time.uptime) }
                if let refusal = gate.refusal() { return .failure(refusal) }
            }
            guard traits.place == .main else { return .success(try handler.run(command, request, context)) }
            let data = try gate.run(request.name.rawValue, budget: command.budget) { [handler] in
                try handler.run(command, request, context)
            }
            return .success(data)
        } catch let error as RunnerError {
            let isThrown = error.code == .mainThreadTimeout || error.code == .commandFailed
            return .failure(error, status: isThrown ? 500 : 200)
        } catch {
            return .failure(Self.runnerError(error), status: 500)
        }
    }

    /// Whether a read failed because its app's handle had gone stale, which a fresh handle mends.
    private func isWorthAnotherLook(_ reply: Reply, _ name: CommandName) -> Bool {
        guard let message = reply.error?.message.lowercased() else { return false }
        if message.contains("is not available") { return true }
        guard reply.status == 500 else { return false }
        return message.contains("kaxerrorservernotfound") || message.contains("main thread execution timed out")
            || (name == .snapshot && message.contains("timed out"))
    }

    private static func runnerError(_ error: any Error) -> RunnerError {
        error as? RunnerError ?? RunnerError(.commandFailed, String(describing: error))
    }
}

extension CommandTraits {
    /// A failure that the framework recorded beside a read says nothing about the read.
    var convertsRecordedFailure: Bool { effect == .interacts || effect == .acts }
}

extension Command {
    /// How long it may occupy the main thread, in seconds.
    var budget: Double {
        if case .alert(_, let timeoutMs) = self { return max(0.001, (timeoutMs ?? 10_000) / 1000) }
        return MainThreadGate.ordinaryBudget
    }
}
