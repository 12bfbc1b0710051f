/// Alerts of the system and the app. Called on the main thread alone.
public protocol AlertDriver: Sendable {
    /// The alert in front: see `AlertSource` for the order in which places are looked at.
    func alert(in bundleId: String?) throws -> AlertSighting
}

/// What looking for an alert showed.
public enum AlertSighting {
    case absent
    /// Something modal is there, and its content belongs to a process that can't be read. Not to be taken for absence, nor for
    /// an alert of the app below it.
    case unresolved
    case found(FoundAlert)
}

/// An alert as it was read.
public struct FoundAlert {
    public var title: String
    public var texts: [String]
    /// The enabled ones, in the order of the screen.
    public var buttons: [FoundElement]

    public init(title: String, texts: [String] = [], buttons: [FoundElement]) {
        self.title = title
        self.texts = texts
        self.buttons = buttons
    }
}
