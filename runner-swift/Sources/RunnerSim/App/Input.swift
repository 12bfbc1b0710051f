import RunnerCore

/// Pointers from the first one down to the last one up.
struct Contact {
    /// One list for each pointer: seconds since the first one went down, and where it was then.
    var tracks: [[(offset: Double, point: Point)]]

    var duration: Double { tracks.compactMap { $0.last?.offset }.max() ?? 0 }
}

/// A tap that may become half of a double tap.
struct LastTap {
    var key: String
    var at: Double
}

/// A finger that moves less than this stays where it is, in points.
private let slop = 8.0
private let doubleTapWithin = 0.4
private let longPressAfter = 0.5

extension App {
    /// Pointers were down on what `hit` names, moved and went up; `end` is when the last one did.
    mutating func touch(_ contact: Contact, hit: String?, end: Double) {
        guard let first = contact.tracks.first?.first, let last = contact.tracks.first?.last else { return }
        if isFromEdge(first.point, last.point) { return back(now: end) }
        let scene = scene(end)
        guard let hit, let at = scene.find(hit) else {
            return scrollIfMoved(contact, in: scene, end)
        }
        let element = scene.elements[at]
        if element.act == .pad {
            record(element.name, .stroke, strokes(contact))
            state.strokes += 1
            return
        }
        guard contact.tracks.count == 1 else { return }
        if contact.tracks[0].contains(where: { $0.point.distance(to: first.point) > slop }) {
            return scrollIfMoved(contact, in: scene, end)
        }
        // A control reacts when the finger leaves it, if it is still the one that is there.
        guard let act = element.act, element.isEnabled, scene.target(at: last.point) == at else { return }
        press(act, element, at: last.point, held: last.offset, now: end)
    }

    /// tvOS: a button of the remote.
    mutating func press(_ button: Command.RemoteButton, seconds: Double, now: Double) {
        let scene = scene(now)
        guard let at = scene.elements.firstIndex(where: \.isFocused) else { return }
        let focused = scene.elements[at]
        switch button {
        case .menu: presence == .front && canGoBack ? back(now: now) : goHome()
        case .home: goHome()
        case .select:
            if let act = focused.act { press(act, focused, at: focused.bounds.center, held: seconds, now: now) }
        case .up, .down, .left, .right:
            let nearest = scene.focusable.filter { $0 != at }.min { left, right in
                distance(button, focused, scene.elements[left]) < distance(button, focused, scene.elements[right])
            }
            if let nearest, distance(button, focused, scene.elements[nearest]).isFinite { remoteFocus = scene.elements[nearest].key }
        }
    }

    /// How far away an element is in a direction; infinite where it lies in another one.
    private func distance(_ button: Command.RemoteButton, _ from: Element, _ to: Element) -> Double {
        let (dx, dy) = (to.bounds.center.x - from.bounds.center.x, to.bounds.center.y - from.bounds.center.y)
        let (ahead, aside) =
            switch button {
            case .up: (-dy, abs(dx))
            case .down: (dy, abs(dx))
            case .left: (-dx, abs(dy))
            default: (dx, abs(dy))
            }
        return ahead > 0 ? ahead + 2 * aside : .infinity
    }

    /// A Mac's wheel over a place.
    mutating func turnWheel(by delta: Double, at point: Point, now: Double) {
        guard let scroller = scene(now).scroller(at: point), scroller.moves else { return }
        move(scroller, by: delta, now)
    }

    /// The system's stroke that leads back: from the leading edge over more than half of the screen.
    private func isFromEdge(_ from: Point, _ to: Point) -> Bool {
        canGoBack && screen != .gesture && from.x <= viewport.width * 0.06 && to.x - from.x > viewport.width / 2
    }

    private mutating func scrollIfMoved(_ contact: Contact, in scene: Scene, _ now: Double) {
        guard contact.tracks.count == 1, let first = contact.tracks[0].first, let last = contact.tracks[0].last,
            let scroller = scene.scroller(at: first.point), scroller.moves
        else { return }
        move(scroller, by: last.point.y - first.point.y, now)
    }

    private mutating func move(_ scroller: Scroller, by finger: Double, _ now: Double) {
        let offset = min(max(scroller.offset - finger, 0), scroller.max)
        guard offset != scroller.offset else { return }
        record(scroller.name, .scroll, .object([.init("x", 0), .init("y", .number(offset))]))
        state.offsets[scroller.name] = offset
        loadPages(atEnd: offset >= scroller.max, now)
    }

    private mutating func press(_ act: Act, _ element: Element, at point: Point, held: Double, now: Double) {
        let place = JSON.object([.init("x", .number(point.x)), .init("y", .number(point.y))])
        let name = element.name
        let previous = lastTap
        lastTap = nil
        switch act {
        case .dead, .pad: return
        case .holdZone where held >= longPressAfter: return record(name, .longPress, place)
        case .doubleZone:
            if let previous, previous.key == element.key, now - previous.at <= doubleTapWithin {
                log.takeBack(name, .tap)
                record(name, .doubleTap, place)
            } else {
                record(name, .tap, place)
                lastTap = LastTap(key: element.key, at: now)
            }
            return
        // These log what they do instead of the tap.
        case .answer(let button): return isStubborn ? () : answer(button)
        case .wifi:
            state.wifi.toggle()
            return record(name, .toggle, .bool(state.wifi))
        case .terms:
            state.terms.toggle()
            return record(name, .toggle, .bool(state.terms))
        case .key(let text): return press(keys: text)
        case .hideKeyboard: return state.focus = nil
        case .launch: return activate(by: name, now: now)
        case .back: return back(now: now)
        default: record(name, .tap, place)
        }
        switch act {
        case .count: state.taps += 1
        case .focus(let field): state.focus = field
        case .signIn: (state.welcome, state.signIns) = (text(of: .email), state.signIns + 1)
        case .acceptSheet: state.sheet = false
        case .toggleDrawer: state.drawer.toggle()
        case .selectTab(let tab): state.tab = tab
        case .ask(let ask):
            (state.focus, state.deleted) = (nil, 0)
            state.asks += ask == .deleteTwo ? [.deleteTwo, .deleteNext] : [ask]
        case .open(let screen): open(screen, by: name, now: now)
        case .turnPage: turnPage(by: name, now: now)
        default: break
        }
    }

    private func strokes(_ contact: Contact) -> JSON {
        let points = contact.tracks.map { track in
            JSON.array(track.map { .array([.number($0.offset * 1000), .number($0.point.x), .number($0.point.y)]) })
        }
        return .object([
            .init("pointers", .integer(points.count)), .init("duration", .number(contact.duration * 1000)),
            .init("points", .array(points)),
        ])
    }
}
