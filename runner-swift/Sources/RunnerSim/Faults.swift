/// What goes wrong inside the device. Faults of the connection belong into a proxy before the runner.
enum Fault: String, CaseIterable {
    /// The deepest level that the accessibility service serialises. A real one stops at about 62.
    case axDepth = "ax-depth"
    /// So many reads of the whole tree are rejected.
    case axReject = "ax-reject"
    /// So many reads of the whole tree miss the entries of bars, which queries find.
    case collapsedTabs = "collapsed-tabs"
    /// The next read of the whole tree occupies the main thread for so many ms; 0: until faults are cleared.
    case treeHang = "tree-hang"
    /// Each sweep of queries takes so many ms.
    case queryTime = "query-time"
    /// The private client refuses so many reads.
    case privateReject = "private-reject"
    /// The next read of an element's custom actions takes so many ms; 0: until faults are cleared.
    case actionsHang = "actions-hang"
    /// So many inputs record a failure of the test framework after they were done.
    case recordedFailures = "recorded-failures"
    /// The next input occupies the main thread for so many ms before, or after, it acts; 0: until faults are cleared.
    case hangBefore = "hang-before"
    case hangAfter = "hang-after"
    /// The process dies when the next input comes: before, or after, it acts. No reply is sent.
    case dieBefore = "die-before"
    case dieAfter = "die-after"
    /// Prompts of the system are shown by a process that queries can't look into.
    case remoteAlerts = "remote-alerts"
    /// Buttons of alerts take no touch.
    case stubbornAlerts = "stubborn-alerts"
    /// The first key that is pressed while the keyboard comes up swallows all but the first of its burst.
    case swallowKeys = "swallow-keys"
    /// Fields don't say what they hold.
    case muteFields = "mute-fields"
    /// A sign-in sheet of the system's browser is in front, which another process shows.
    case systemSurface = "system-surface"
    /// The private event record is refused, so that gestures fall back.
    case refuseSynthesis = "refuse-synthesis"

    /// Those that strike so often as their number says, or once.
    var isCounted: Bool {
        switch self {
        case .axReject, .collapsedTabs, .privateReject, .recordedFailures, .dieBefore, .dieAfter, .swallowKeys: true
        default: false
        }
    }

    /// Those that are gone once they have struck.
    var isSpentAtOnce: Bool { [.treeHang, .actionsHang, .hangBefore, .hangAfter].contains(self) }
}

struct Faults {
    private var armed: [Fault: Int] = [:]

    mutating func arm(_ fault: Fault, _ number: Int) { armed[fault] = number }
    mutating func clear() { armed = [:] }

    var all: [(Fault, Int)] { armed.sorted { $0.key.rawValue < $1.key.rawValue }.map { ($0.key, $0.value) } }

    /// Meets a fault: its number if it strikes.
    mutating func meet(_ fault: Fault) -> Int? {
        guard let number = armed[fault] else { return nil }
        if fault.isCounted { armed[fault] = number > 1 ? number - 1 : nil }
        if fault.isSpentAtOnce { armed[fault] = nil }
        return number
    }
}
