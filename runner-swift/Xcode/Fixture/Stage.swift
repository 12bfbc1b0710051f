import RunnerCore
import UIKit

/// Keeps the app and its picture together: time, touches, keys, answers and the requests of tests go in, views come out.
final class Stage: UIViewController, UITextFieldDelegate, UITextViewDelegate {
    private var app: App = {
        var app = App(.iOS, now: SystemTime().uptime)
        app.ground.drawsKeyboard = false
        return app
    }()
    private lazy var picture = Picture(in: view, delegate: self)
    private var timer: Timer?
    /// The question that an alert shows.
    private var shown: Ask?
    /// Whether the contact that goes on is one of the app: an alert's are not.
    private var isOurs = false
    /// What it came down on.
    private var hit: String?

    private var now: Double { SystemTime().uptime }

    override var prefersStatusBarHidden: Bool { true }
    // The tab bar lies where the system waits for a stroke to the launcher.
    override var preferredScreenEdgesDeferringSystemGestures: UIRectEdge { .all }

    override func viewDidLoad() {
        super.viewDidLoad()
        view.backgroundColor = .systemBackground
        timer = Timer.scheduledTimer(withTimeInterval: 0.05, repeats: true) { [weak self] _ in
            MainActor.assumeIsolated { self?.refresh() }
        }
    }

    private func refresh() {
        let size = view.bounds.size
        app.ground.size = Size(Double(min(size.width, size.height)), Double(max(size.width, size.height)))
        // Which of the two sides is up changes nothing that the app shows.
        app.orientation = size.width > size.height ? .landscapeLeft : .portrait
        guard app.presence == .front else { return }
        view.accessibilityElementsHidden = app.isDegraded(now)
        picture.show(app.scene(now), focus: app.focus) { app.text(of: $0) }
        showQuestion()
    }

    // MARK: From beside

    func answer(_ request: HTTPRequest) -> HTTPResponse {
        // What a simulated device is told after each test. A real one has no faults to forget.
        if request.path == "/mend" { return HTTPResponse(json: .object([])) }
        defer { refresh() }
        do {
            return try app.answer(request, now: now).map { HTTPResponse(json: $0) } ?? .unknown(request)
        } catch {
            return HTTPResponse(refusing: error)
        }
    }

    func leave() { app.goHome() }

    func come() {
        app.activate(by: "", now: now)
        refresh()
    }

    // MARK: Touches

    func touched(by event: ContactEvent) {
        switch event {
        case .began(let at, let place):
            let point = Point(Double(place.x), Double(place.y))
            (isOurs, hit) = (presentedViewController == nil, app.scene(at).targetKey(at: point))
        case .ended(let contact):
            if isOurs { app.touch(contact.contact, hit: hit, end: contact.end) }
        case .cancelled: break
        }
        refresh()
    }

    // MARK: Questions

    private func showQuestion() {
        let ask = app.ask
        guard ask != shown else { return }
        if let presentedViewController {
            // The next look finds it gone.
            if !presentedViewController.isBeingDismissed { dismiss(animated: false, completion: nil) }
            return
        }
        shown = ask
        guard let ask else { return }
        let alert = UIAlertController(title: ask.message, message: nil, preferredStyle: .alert)
        for (at, label) in ask.buttons.enumerated() {
            alert.addAction(
                UIAlertAction(title: label, style: .default) { [weak self] _ in
                    self?.shown = nil
                    self?.app.answer(at)
                })
        }
        present(alert, animated: false, completion: nil)
    }

    // MARK: Keys

    private func field(of view: UIView) -> Field? { view.accessibilityIdentifier.flatMap(Field.init) }

    private func focus(_ view: UIView) { app.state.focus = field(of: view) }

    private func blur(_ view: UIView) {
        if app.state.focus == field(of: view) { app.state.focus = nil }
    }

    /// What a field holds is what the app makes of it.
    private func typed(_ view: UIView, _ text: String?) -> String {
        guard let field = field(of: view) else { return "" }
        app.put(text ?? "", into: field)
        return app.text(of: field)
    }

    func edited(_ field: UITextField) {
        let text = typed(field, field.text)
        if field.text != text { field.text = text }
        refresh()
    }

    func textFieldDidBeginEditing(_ textField: UITextField) { focus(textField) }
    func textFieldDidEndEditing(_ textField: UITextField) { blur(textField) }

    func textFieldShouldReturn(_ textField: UITextField) -> Bool {
        app.state.focus = nil
        refresh()
        return false
    }

    func textViewDidBeginEditing(_ textView: UITextView) { focus(textView) }
    func textViewDidEndEditing(_ textView: UITextView) { blur(textView) }
    func textViewDidChange(_ textView: UITextView) { _ = typed(textView, textView.text) }
}
