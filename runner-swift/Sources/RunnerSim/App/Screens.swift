import RunnerCore

/// How the screens look: rectangles on a portrait screen of 400 by 800 points, or 800 by 400 on its side.
private enum Layer {
    static let bar = 1, sheet = 2, alert = 3, keyboard = 4, system = 5
}

private let margin = 16.0
private let top = 80.0
private let control = 48.0
/// From one control of a stack to the next.
private let step = 60.0
private let barHeight = 64.0
private let rowHeight = 48.0
private let pageCount = 3
/// The first page is longer than the screen; each further one adds less than one scroll of 60 % moves.
private let firstPage = 24
private let nextPage = 8

/// The place of the `n`th control of a stack.
private func slot(_ n: Int) -> Rect { Rect(margin, top + Double(n) * step, 368, control) }

extension App {
    /// What is on the screen.
    func scene(_ now: Double) -> Scene {
        guard presence == .front else {
            var scene = Scene(viewport: viewport, label: "Launcher", prefix: "0/launcher")
            scene.add(.button("launch", Self.name, Rect(margin, top, 80, 80), .launch))
            return scene
        }
        var scene = Scene(viewport: viewport, label: Self.name, prefix: "\(processId)/\(screen.rawValue)")
        draw(&scene, now)
        // A screen on which nothing is yet has a title: nothing at all looks like a tree that has lost its content.
        if [.late, .never, .vanish].contains(screen) {
            scene.add(.text("", "\(Self.name): \(screen.rawValue)", Rect(margin, 8, 368, 40)))
        }
        if canGoBack, !screen.reachesTop { drawNavigationBar(&scene) }
        if platform == .iOS, ground.drawsKeyboard, let focus { drawKeyboard(for: focus, &scene) }
        if let ask { draw(ask, &scene) }
        if platform == .tvOS { scene.focus(remoteFocus) }
        return scene
    }

    private func draw(_ scene: inout Scene, _ now: Double) {
        let since = now - state.opened
        switch screen {
        case .home:
            scene.add(.text("", Self.name, Rect(margin, 8, 368, 40)))
            for (at, screen) in Screen.onHome.enumerated() {
                let place = Rect(0, 56 + Double(at) * 28, viewport.width, 28)
                scene.add(Element(.cell, place, id: "open-\(screen.rawValue)", label: screen.rawValue, act: .open(screen)))
            }
        case .counter:
            scene.add(.button("counter", "Counter: \(state.taps)", slot(0), .count))
            scene.add(.button("dead", "Dead", slot(1), .dead))
            scene.add(.button("double", "Double", Rect(margin, 208, 176, 120), .doubleZone))
            scene.add(.button("hold", "Hold", Rect(margin + 192, 208, 176, 120), .holdZone))
        case .login: drawLogin(&scene)
        case .longtext: draw(.note, Rect(margin, top, 368, 300), &scene)
        case .late:
            if since >= knobs.seconds(.delay) { scene.add(.button("continue", "Continue", slot(0), .open(.done))) }
        case .done: scene.add(.text("done", "Done", slot(0)))
        case .never: break
        case .vanish:
            if since >= knobs.seconds(.appear), since < knobs.seconds(.leave) {
                scene.add(.button("gone", "Gone", slot(0), .tap))
            }
        case .covered: drawCovered(&scene)
        case .drawer: drawDrawer(&scene)
        case .rows: drawRows(&scene)
        case .wrapper:
            // A wrapper and its control as some apps report them: one label, a point apart.
            let wrapper = scene.add(Element(.other, slot(0), id: "wrapper", label: "Save").with { $0.isDrawn = false })
            scene.add(.button("control", "Save", slot(0).inset(by: 1), .tap), to: wrapper)
        case .childbutton:
            let place = Rect(0, top, viewport.width, 120)
            let cell = scene.add(Element(.cell, place, id: "cell", label: "Order 7", act: .tap))
            scene.add(.text("", "Order 7", Rect(margin, top + 16, 100, 24)), to: cell)
            scene.add(.button("inner", "More", Rect(place.center.x - 50, place.center.y - 24, 100, control), .tap), to: cell)
        case .list:
            let rows = (1...200).map { ("row-\($0)", "Row \($0)") }
            drawList("list", aboveBar, rows, offset: nil, actions: ["Archive", "Delete"], &scene)
            drawTabBar(&scene)
        case .reveal: drawReveal(&scene, now)
        case .end:
            let half = viewport.height / 2
            let rows = { (name: String) in (1...20).map { ("\(name.lowercased())-\($0)", "\(name) \($0)") } }
            drawList("ended", Rect(0, 0, viewport.width, half - 20), rows("Line"), offset: .infinity, &scene)
            drawList("stubborn", Rect(0, half, viewport.width, half - 20), rows("Stuck"), offset: 0, moves: false, &scene)
        case .toggle:
            let state = self.state
            scene.add(Element(.switch, slot(0), id: "wifi", label: "Wi-Fi", act: .wifi).with { $0.value = state.wifi ? "1" : "0" })
            scene.add(
                Element(.checkBox, slot(1), id: "terms", label: "Terms", act: .terms).with { $0.value = state.terms ? "1" : "0" })
            let bar = scene.add(Element(.segmentedControl, slot(2)).with { $0.isDrawn = false })
            drawTabs([("one", "One"), ("two", "Two")], in: bar, slot(2), &scene)
        case .alert:
            let openers: [(Ask, String)] = [
                (.delete, "Delete item"), (.deleteTwo, "Delete two"), (.rename, "Rename"), (.notice, "Notice"),
            ]
            for (at, (ask, label)) in openers.enumerated() { scene.add(.button(ask.opener, label, slot(at), .ask(ask))) }
            scene.add(.text("result", "Result: \(state.result)", slot(4)))
        case .keyboard:
            draw(.message, Rect(margin, margin, 368, control), &scene)
            drawTabBar(&scene)
        case .animate:
            scene.add(.button("still", "Still", slot(0), .tap))
            let x = margin + (since * 1000).truncatingRemainder(dividingBy: 3000) / 10
            scene.add(Element(.image, Rect(x, 160, 40, 40), id: "mover", label: "Mover"))
            scene.add(.text("ticker", "Frame \(Int(since * 20))", slot(3)))
        case .slow: scene.add(.button("slow", "Slow", slot(0), .tap))
        case .sparse: scene.add(.button("back", "Back", slot(0), .tap))
        case .stale:
            // Two pages with their buttons at one place: a tap meant for the first must not buy anything on the second.
            scene.add(state.turned ? .button("buy", "Buy", slot(0), .tap) : .button("next", "Next", slot(0), .turnPage))
        case .deep: drawDeep(&scene)
        case .zoo:
            for (at, text) in zoo.enumerated() {
                scene.add(.button(text.id, text.label, Rect(0, 8 + Double(at) * 44, 400, 40), .tap))
            }
        case .gesture:
            scene.add(Element(.other, Rect(20, 100, 360, 500), id: "pad", label: "Pad", act: .pad))
            scene.add(.text("strokes", "Strokes: \(state.strokes)", Rect(20, 620, 360, 24)))
        case .system:
            scene.add(.button(Ask.permission.opener, "Ask permission", slot(0), .ask(.permission)))
            scene.add(.button(Ask.openIn.opener, "Open in", slot(1), .ask(.openIn)))
            scene.add(.button("after", "After", slot(2), .tap))
            scene.add(.text("camera", "Camera: \(state.result)", slot(3)))
        }
    }

    private var aboveBar: Rect { Rect(0, 0, viewport.width, viewport.height - barHeight) }

    /// An empty field reports its hint as its value, as UIKit's fields do.
    private func draw(_ field: Field, _ place: Rect, _ scene: inout Scene) {
        let type: ElementType = field.isSecure ? .secureTextField : field == .note ? .textView : .textField
        let text = self.text(of: field)
        let isFocused = focus == field
        scene.add(
            Element(type, place, id: field.rawValue, act: .focus(field)).with {
                $0.value = text.isEmpty ? field.hint : field.isSecure ? String(repeating: "•", count: text.count) : text
                $0.placeholder = field.hint
                $0.isFocused = isFocused
            })
    }

    private func drawLogin(_ scene: inout Scene) {
        for (at, field) in [Field.email, .password, .phone, .city].enumerated() { draw(field, slot(at), &scene) }
        let ready = !text(of: .email).isEmpty && !text(of: .password).isEmpty
        scene.add(.button("sign-in", "Sign in", slot(4), .signIn).with { $0.isEnabled = ready })
        if let welcome = state.welcome { scene.add(.text("welcome", "Welcome, \(welcome)", Rect(margin, 384, 368, 24))) }
        scene.add(.text("sign-ins", "Sign-ins: \(state.signIns)", Rect(margin, 416, 368, 24)))
    }

    private func drawCovered(_ scene: inout Scene) {
        scene.add(.button("pay", "Pay", Rect(margin, 600, 368, control), .tap))
        guard state.sheet else { return }
        let half = viewport.height / 2
        let place = Rect(0, half, viewport.width, half)
        let sheet = scene.add(Element(.sheet, place, id: "sheet", label: "Terms of payment").with { $0.layer = Layer.sheet })
        scene.add(.text("", "Please accept the terms first.", Rect(margin, place.y + margin, 368, 24)), to: sheet)
        scene.add(.button("accept", "Accept", Rect(margin, place.maxY - 80, 368, control), .acceptSheet), to: sheet)
    }

    private func drawDrawer(_ scene: inout Scene) {
        let toolbar = scene.add(Element(.toolbar, Rect(0, 0, viewport.width, 56)).with { $0.layer = Layer.bar })
        scene.add(.button("menu", "Menu", Rect(8, 4, 88, control), .toggleDrawer), to: toolbar)
        if knobs[.twin] == 1 {
            scene.add(.button("settings-twin", "Settings", Rect(296, 4, 96, control), .tap), to: toolbar)
        }
        let x = state.drawer ? 0.0 : -320
        let drawer = scene.add(
            Element(.other, Rect(x, 0, 320, viewport.height), id: "drawer").with { $0.layer = Layer.sheet })
        let items: [(String, String, Double, Act)] = [
            ("settings", "Settings", 120, .tap), ("close", "Close", 180, .toggleDrawer),
        ]
        for (id, label, y, act) in items {
            scene.add(Element(.menuItem, Rect(x, y, 320, control), id: id, label: label, act: act), to: drawer)
        }
    }

    private func drawRows(_ scene: inout Scene) {
        for n in 1...4 {
            let y = top + Double(n - 1) * 72
            let cell = scene.add(Element(.cell, Rect(0, y, viewport.width, 72)))
            scene.add(.text("", "Item \(n)", Rect(margin, y + 24, 200, 24)), to: cell)
            let place = Rect(viewport.width - 104, y + 12, 88, control)
            scene.add(.button("", "Delete", place, .tap).with { $0.name = "delete-\(n)" }, to: cell)
        }
    }

    /// All rows are in the tree, wherever they are.
    private func drawList(
        _ name: String, _ place: Rect, _ rows: [(String, String)], offset fixed: Double?, moves: Bool = true,
        actions: [String] = [], _ scene: inout Scene
    ) {
        let limit = max(Double(rows.count) * rowHeight - place.height, 0)
        let offset = min(fixed ?? state.offsets[name] ?? 0, limit)
        let list = scene.add(
            Element(.table, place, id: name).with {
                $0.scroller = Scroller(name: name, offset: offset, max: limit, moves: moves)
            })
        for (at, (id, label)) in rows.enumerated() {
            let place = Rect(place.x, place.y + Double(at) * rowHeight - offset, place.width, rowHeight)
            scene.add(Element(.cell, place, id: id, label: label, act: .tap).with { $0.actions = actions }, to: list)
        }
    }

    private func drawTabBar(_ scene: inout Scene) {
        let place = Rect(0, viewport.height - barHeight, viewport.width, barHeight)
        let bar = scene.add(Element(.tabBar, place).with { $0.layer = Layer.bar })
        drawTabs([("tab-home", "Home"), ("tab-search", "Search")], in: bar, place, &scene)
    }

    private func drawTabs(_ tabs: [(String, String)], in bar: Int, _ place: Rect, _ scene: inout Scene) {
        let selected = state.tab
        for (at, (id, label)) in tabs.enumerated() {
            let place = Rect(place.x + Double(at) * place.width / 2, place.y, place.width / 2, place.height)
            scene.add(.button(id, label, place, .selectTab(at)).with { $0.isSelected = selected == at }, to: bar)
        }
    }

    private func drawDeep(_ scene: inout Scene) {
        var around = Scene.window
        var place = Rect(0, top, 400, 600)
        for _ in 0..<knobs[.depth] {
            around = scene.add(Element(.other, place).with { $0.isDrawn = false }, to: around)
            // Half a point on each side: no two are the same, and the innermost still holds a button.
            if place.width > 200 { place = place.inset(by: 0.5) }
        }
        scene.add(.button("deep", "Deep", Rect(place.center.x - 40, place.center.y - 24, 80, control), .tap), to: around)
    }

    // MARK: Pages

    private func pages(_ now: Double) -> Int {
        state.pages + (state.loading.map { now >= $0 + knobs.seconds(.load) } == true ? 1 : 0)
    }

    /// Loads the next page of `reveal` when the end is reached.
    mutating func loadPages(atEnd: Bool, _ now: Double) {
        guard screen == .reveal else { return }
        let pages = pages(now)
        if pages > state.pages { (state.pages, state.loading) = (pages, nil) }
        if atEnd, state.loading == nil, state.pages < pageCount { state.loading = now }
    }

    private func drawReveal(_ scene: inout Scene, _ now: Double) {
        let pages = pages(now)
        var rows = (1...firstPage + (pages - 1) * nextPage).map { ("item-\($0)", "Item \($0)") }
        if pages == pageCount { rows.append(("feed-end", "End of feed")) }
        drawList("feed", aboveBar, rows, offset: nil, &scene)
        let place = Rect(0, aboveBar.maxY, viewport.width, barHeight)
        scene.add(.text("pages", "Pages: \(pages)", place).with { $0.layer = Layer.bar })
    }

    // MARK: Over the screen

    private func drawNavigationBar(_ scene: inout Scene) {
        let bar = scene.add(Element(.navigationBar, Rect(0, 0, viewport.width, 56), label: screen.rawValue))
        scene.add(.button("", "Back", Rect(8, 4, 80, 48), .back).with { $0.name = "navigation/back" }, to: bar)
    }

    /// The question and what is behind it: a shade that takes every touch.
    private func draw(_ ask: Ask, _ scene: inout Scene) {
        let center = viewport.center
        let place = Rect(center.x - 150, center.y - 80, 300, 160)
        let alert = scene.add(
            Element(.alert, place, label: ask.message).with {
                $0.name = "alert"
                $0.isModal = true
                $0.layer = ask.isOfSystem ? Layer.system : Layer.alert
            })
        scene.add(.text("", ask.message, Rect(place.x + margin, place.y + margin, 268, 60)), to: alert)
        let width = place.width / Double(ask.buttons.count)
        for (at, label) in ask.buttons.enumerated() {
            let place = Rect(place.x + Double(at) * width, place.maxY - 60, width, 60)
            scene.add(.button("", label, place, .answer(at)).with { $0.name = "alert/\(label)" }, to: alert)
        }
    }

    /// Three rows of letters, and a row with a key that hides the keyboard. Touches of keys type.
    private func drawKeyboard(for field: Field, _ scene: inout Scene) {
        let height = viewport.height * 0.375
        let place = Rect(0, viewport.height - height, viewport.width, height)
        let keyboard = scene.add(Element(.keyboard, place).with { $0.layer = Layer.keyboard })
        let rowHeight = height / 4
        let rows = ["qwertyuiop", "asdfghjkl", "zxcvbnm"]
        for (row, letters) in rows.enumerated() {
            let width = place.width / Double(letters.count + (row == 2 ? 1 : 0))
            for (at, letter) in letters.enumerated() {
                let key = Rect(Double(at) * width, place.y + Double(row) * rowHeight, width, rowHeight)
                scene.add(Element(.key, key, label: String(letter), act: .key(String(letter))), to: keyboard)
            }
            if row == 2 {
                let key = Rect(place.width - width, place.y + 2 * rowHeight, width, rowHeight)
                scene.add(Element(.key, key, label: "delete", act: .key("\u{8}")), to: keyboard)
            }
        }
        let y = place.y + 3 * rowHeight
        let third = place.width / 4
        scene.add(.button("", "Hide keyboard", Rect(0, y, third, rowHeight), .hideKeyboard), to: keyboard)
        scene.add(Element(.key, Rect(third, y, 2 * third, rowHeight), label: "space", act: .key(" ")), to: keyboard)
        scene.add(.button("", "Return", Rect(3 * third, y, third, rowHeight), .key("\n")), to: keyboard)
    }
}
