import RunnerCore

/// What happened to the app. Raw values are those of every body of the fixture app.
enum EventKind: String {
    case tap
    case doubleTap = "double-tap"
    case longPress = "long-press"
    case text, clear, toggle, scroll, stroke, navigate, alert
}

/// One thing that really happened.
struct Event {
    var seq: Int
    var screen: String
    var element: String
    var kind: EventKind
    var detail: JSON

    var json: JSON {
        .object([
            .init("seq", .integer(seq)), .init("screen", .string(screen)), .init("element", .string(element)),
            .init("kind", .string(kind.rawValue)), .init("detail", detail),
        ])
    }
}

/// The judge: read beside the runner, never through it.
struct EventLog {
    /// Gets a line for each thing that happens, at once: what is said there outlives the process.
    var sink: (@Sendable (JSON) -> Void)?
    private var seq = 0
    private(set) var events: [Event] = []

    mutating func record(_ screen: String, _ element: String, _ kind: EventKind, _ detail: JSON = .null) {
        seq += 1
        let event = Event(seq: seq, screen: screen, element: element, kind: kind, detail: detail)
        events.append(event)
        sink?(event.json)
    }

    /// Takes back a tap that turned out to be half of a double tap.
    mutating func takeBack(_ element: String, _ kind: EventKind) {
        guard let last = events.last, last.element == element, last.kind == kind else { return }
        events.removeLast()
        sink?(.object([.init("takenBack", .integer(last.seq))]))
    }

    /// Numbers go on.
    mutating func clear() {
        events = []
        sink?(.object([.init("cleared", .integer(seq))]))
    }
}
