/// The screens of the fixture app. Raw values are in links and logs.
enum Screen: String, CaseIterable {
    case home, counter, login, longtext, late, never, vanish, covered, drawer, rows, wrapper, childbutton, list, reveal, end, toggle
    case alert, keyboard, animate, slow, sparse, stale, deep, zoo, gesture, system
    /// Where `late` leads to.
    case done

    /// Those that leave no room for a navigation bar.
    var reachesTop: Bool { [.home, .list, .reveal, .end, .keyboard, .drawer, .zoo].contains(self) }

    /// Those that get a row on `home`.
    static var onHome: [Screen] { allCases.filter { $0 != .home && $0 != .done } }
}

/// Numbers that change how a screen behaves.
enum Knob: String, CaseIterable {
    case delay, appear, leave, twin, load, cost, `for`, lag, depth

    var initial: Int {
        switch self {
        case .delay: 800
        case .appear: 300
        case .leave: 600
        case .twin, .load: 0
        case .cost: 200
        case .for: 1500
        case .lag: 1000
        case .depth: 150
        }
    }

    /// An hour, or as many containers as the screen can hold.
    var limit: Int {
        switch self {
        case .twin: 1
        case .depth: 500
        default: 3_600_000
        }
    }

    func parse(_ text: String) -> Int? {
        if self == .twin, text == "true" || text.isEmpty { return 1 }
        if self == .twin, text == "false" { return 0 }
        return Int(text).flatMap { (0...limit).contains($0) ? $0 : nil }
    }
}

struct Knobs {
    private var values: [Knob: Int] = [:]

    subscript(knob: Knob) -> Int {
        get { values[knob] ?? knob.initial }
        set { values[knob] = newValue }
    }

    /// In seconds.
    func seconds(_ knob: Knob) -> Double { Double(self[knob]) / 1000 }
}
