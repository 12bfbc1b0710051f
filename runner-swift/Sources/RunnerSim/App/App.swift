import RunnerCore

/// The fixture app as a state machine: what is on the screen, and what an input does to it. No clock of its own: every entry
/// takes the time, an uptime in seconds. `Screens` lays the screens out, `Input` turns touches into what they mean.
struct App {
    static let bundleId = "org.example.proving-ground"
    static let launcher = "com.apple.springboard"
    static let name = "Proving Ground"
    private static let firstProcess: Int32 = 4000

    /// What a screen remembers. Every opening starts afresh.
    struct State {
        var opened: Double
        var fields: [Field: String] = [:]
        var focus: Field?
        /// All of the field with the focus is selected: the next key replaces it.
        var isAllSelected = false
        var taps = 0
        var welcome: String?
        var signIns = 0
        var sheet = true
        var drawer = false
        var wifi = false
        var terms = false
        var tab = 0
        var asks: [Ask] = []
        var deleted = 0
        var result = "none"
        var offsets: [String: Double] = [:]
        var pages = 1
        var loading: Double?
        var strokes = 0
        var turned = false
    }

    /// What lies under the app.
    struct Ground {
        /// The screen held upright, in points.
        var size = Size(400, 800)
        /// Whether the keyboard is drawn like everything else. UIKit brings its own.
        var drawsKeyboard = true
    }

    let platform: Platform
    var ground = Ground()
    var log = EventLog()
    var knobs = Knobs()
    private(set) var screen: Screen
    private var history: [Screen] = []
    var state: State
    /// Whether the app is in front, in the background, or not running.
    private(set) var presence = Presence.front
    private(set) var processId = firstProcess
    var orientation = InterfaceOrientation.portrait
    /// The tree of before a navigation, reported until then.
    private var lagging: (scene: Scene, until: Double)?
    var lastTap: LastTap?
    /// tvOS: the key of what the remote is on.
    var remoteFocus: String?
    /// Whether buttons of alerts take no touch.
    var isStubborn = false

    enum Presence { case front, back, stopped }

    init(_ platform: Platform, on screen: Screen = .home, now: Double) {
        self.platform = platform
        self.screen = screen
        state = State(opened: now)
    }

    /// A fresh process on this screen, with an empty log. Nothing in the app led there.
    mutating func reset(_ screen: Screen, knobs: [Knob: Int], now: Double) {
        let (process, log, ground) = (processId, log, ground)
        self = App(platform, on: screen, now: now)
        processId = process + 1
        (self.log, self.ground) = (log, ground)
        self.log.clear()
        for (knob, value) in knobs { self.knobs[knob] = value }
    }

    /// Turns knobs and starts the screen afresh with them.
    mutating func set(_ knobs: [Knob: Int], now: Double) {
        for (knob, value) in knobs { self.knobs[knob] = value }
        state = State(opened: now)
        lagging = nil
    }

    var screenName: String { presence == .front ? screen.rawValue : "launcher" }

    mutating func record(_ element: String, _ kind: EventKind, _ detail: JSON = .null) {
        log.record(screenName, element, kind, detail)
    }

    var viewport: Rect {
        Rect(origin: Point(0, 0), size: orientation.isLandscape ? ground.size.transposed : ground.size)
    }

    /// The tree that the accessibility service gives, which is not always what is on the screen.
    func reportedScene(_ now: Double) -> Scene {
        if let lagging, now < lagging.until { return lagging.scene }
        return scene(now)
    }

    /// Whether the service gives the root alone.
    func isDegraded(_ now: Double) -> Bool {
        presence == .front && screen == .sparse && now < state.opened + knobs.seconds(.for)
    }

    /// How long a capture takes the device, in seconds.
    var captureCost: Double { presence == .front && screen == .slow ? knobs.seconds(.cost) : 0 }

    // MARK: Going somewhere

    private mutating func lag(_ next: Screen, _ now: Double) {
        let concerns = presence == .front && (screen == .stale || next == .stale)
        lagging = concerns ? (scene(now), now + knobs.seconds(.lag)) : nil
    }

    mutating func open(_ next: Screen, by element: String, now: Double) {
        record(element, .navigate, .string(next.rawValue))
        lag(next, now)
        presence = .front
        // Nobody goes back further than this.
        history = (history + [screen]).suffix(64)
        screen = next
        state = State(opened: now)
    }

    mutating func turnPage(by element: String, now: Double) {
        record(element, .navigate, "stale")
        lag(.stale, now)
        state.turned = true
    }

    var canGoBack: Bool { !history.isEmpty }

    mutating func back(now: Double) {
        guard presence == .front, let previous = history.popLast() else { return }
        record("", .navigate, .string(previous.rawValue))
        lag(previous, now)
        screen = previous
        state = State(opened: now)
    }

    mutating func goHome() {
        guard presence == .front else { return }
        record("", .navigate, "launcher")
        presence = .back
        state.focus = nil
    }

    /// Brings the app to the front, as a fresh process if it had ended.
    mutating func activate(by element: String, now: Double) {
        guard presence != .front else { return }
        if presence == .stopped { (processId, screen, history, state) = (processId + 1, .home, [], State(opened: now)) }
        record(element, .navigate, .string(screen.rawValue))
        presence = .front
    }

    mutating func terminate() {
        goHome()
        presence = .stopped
    }

    // MARK: Questions

    /// Those of the system come before those of the app.
    var ask: Ask? { presence == .front ? state.asks.first(where: \.isOfSystem) ?? state.asks.first : nil }

    mutating func answer(_ button: Int) {
        guard let ask, let at = state.asks.firstIndex(of: ask) else { return }
        state.asks.remove(at: at)
        let label = ask.buttons[min(button, ask.buttons.count - 1)]
        let accepted = label == ask.buttons.last
        record(ask.opener, .alert, .object([.init("message", .string(ask.message)), .init("button", .string(label))]))
        state.deleted += accepted ? 1 : 0
        switch ask {
        case .deleteTwo, .openIn: break
        case .deleteNext: state.result = "\(state.deleted) deleted"
        case .notice: state.result = "noticed"
        case .permission: state.result = label
        case .delete: state.result = accepted ? "deleted" : "cancelled"
        case .rename: state.result = accepted ? "" : "cancelled"
        }
    }

    // MARK: Text

    func text(of field: Field) -> String { state.fields[field] ?? field.initial }

    /// Replaces the content of a field and logs what became of it, once.
    mutating func put(_ text: String, into field: Field) {
        let after = field.accept(text)
        guard after != self.text(of: field) else { return }
        state.fields[field] = after
        if after.isEmpty {
            record(field.rawValue, .clear)
        } else if field.isSecure {
            record(field.rawValue, .text, .object([.init("length", .integer(after.count))]))
        } else {
            record(field.rawValue, .text, .string(after))
        }
    }

    /// Where keys go.
    var focus: Field? { presence == .front ? state.focus : nil }

    /// What the keys of one burst make of the field with the focus: `\u{8}` deletes, a newline ends or adds a line. The field is
    /// logged once for each burst, as a field that reports its changes after each run of the loop would.
    mutating func press(keys: String) {
        guard let field = focus else { return }
        var text = self.text(of: field)
        var keys = keys[...]
        if state.isAllSelected, !keys.isEmpty {
            text = ""
            if keys.first == "\u{8}" { keys.removeFirst() }
            state.isAllSelected = false
        }
        for key in keys {
            if key == "\u{8}" {
                if !text.isEmpty { text.removeLast() }
            } else if key.isNewline, !field.hasLines {
                put(text, into: field)
                state.focus = nil
                return
            } else {
                text.append(key)
            }
        }
        put(text, into: field)
    }
}
