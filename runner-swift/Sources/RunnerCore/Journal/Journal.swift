import Foundation

/// How far a command has come. Raw values are on the wire.
public enum JournalState: String, Sendable {
    /// Made up for an id that the journal does not know.
    case notAccepted
    case accepted
    case started
    case completed
    case failed

    var isTerminal: Bool { self == .completed || self == .failed }
}

/// What became of the latest commands, by id: the memory from which a host whose connection broke learns what happened, and the
/// reason why a request that is delivered twice runs once.
public final class Journal: Sendable {
    /// How many commands are remembered.
    public static let capacity = 64
    /// The longest reply that is retained, in bytes.
    public static let longestReply = 16 * 1024

    /// Called once with the reply of the command that the caller was attached to.
    public typealias Waiter = @Sendable (Reply) -> Void

    /// What to do with a command that has come in.
    public enum Admission: Sendable {
        /// It is new: run it, then call `finish`.
        case run
        /// It is under way; the waiter gets its reply.
        case attached
        /// It has run before: this is the answer.
        case finished(Reply)
    }

    private struct Entry {
        var command: CommandName
        var state: JournalState
        var retained: Reply?
        var error: RunnerError?
        var waiters: [Waiter]
    }

    private struct Memory {
        var entries: [String: Entry] = [:]
        /// Oldest update first.
        var order: [String] = []

        mutating func update(_ id: String, _ change: (inout Entry) -> Void) {
            guard entries[id] != nil else { return }
            change(&entries[id]!)
            order.removeAll { $0 == id }
            order.append(id)
        }

        mutating func insert(_ id: String, _ entry: Entry) {
            entries[id] = entry
            order.append(id)
            // What is under way is never forgotten: its duplicate would run again.
            while order.count > Journal.capacity, let at = order.firstIndex(where: { entries[$0]!.state.isTerminal }) {
                entries[order.remove(at: at)] = nil
            }
        }
    }

    private let memory = Locked(Memory())

    public init() {}

    /// Takes a command in. `waiter` is kept for a new command and for one that is under way.
    public func accept(_ id: String, _ command: CommandName, waiter: @escaping Waiter) -> Admission {
        memory.withLock { memory in
            guard let entry = memory.entries[id] else {
                memory.insert(id, Entry(command: command, state: .accepted, waiters: [waiter]))
                return .run
            }
            guard entry.state.isTerminal else {
                memory.update(id) { $0.waiters.append(waiter) }
                return .attached
            }
            if let retained = entry.retained { return .finished(retained) }
            return .finished(.failure(RunnerError(
                .commandAlreadyCompleted, "the command \(id) has run before and its reply is not retained",
                hint: "Look at the screen before you act again."
            )))
        }
    }

    /// The command has begun to run.
    public func start(_ id: String) {
        memory.withLock { $0.update(id) { $0.state = .started } }
    }

    /// The command has its reply; everybody who waits gets it.
    public func finish(_ id: String, _ reply: Reply) {
        let waiters = memory.withLock { memory -> [Waiter] in
            var waiters: [Waiter] = []
            memory.update(id) { entry in
                entry.state = reply.isSuccess ? .completed : .failed
                entry.error = reply.error
                let isRetainable = !entry.command.traits.hasLargeReply
                if isRetainable, reply.json().encoded().count <= Journal.longestReply { entry.retained = reply }
                swap(&waiters, &entry.waiters)
            }
            return waiters
        }
        for waiter in waiters { waiter(reply) }
    }

    /// The answer to `status`.
    public func status(of id: String) -> Lifecycle {
        memory.withLock { memory in
            guard let entry = memory.entries[id] else { return Lifecycle(state: .notAccepted) }
            return Lifecycle(
                state: entry.state,
                command: entry.command.rawValue,
                responseOk: entry.state.isTerminal ? entry.state == .completed : nil,
                responseJson: entry.retained.map { String(decoding: $0.json().encoded(), as: UTF8.self) },
                error: entry.error
            )
        }
    }
}
