/// A question of the app or of the system, over the screen.
enum Ask: Equatable {
    case delete, deleteTwo, deleteNext, rename, notice
    /// Those of the system, which another process shows.
    case permission, openIn

    /// The id of what opens it.
    var opener: String {
        switch self {
        case .delete: "delete-item"
        case .deleteTwo, .deleteNext: "delete-two"
        case .rename: "rename"
        case .notice: "notice"
        case .permission: "ask-permission"
        case .openIn: "open-in"
        }
    }

    var message: String {
        switch self {
        case .delete, .deleteTwo: "Delete item?"
        case .deleteNext: "Delete the next item?"
        case .rename: "New name?"
        case .notice: "Saved"
        case .permission: "Allow Proving Ground to use the camera?"
        case .openIn: "Open in “Proving Ground”?"
        }
    }

    /// The dismissing one first, the accepting one last.
    var buttons: [String] {
        switch self {
        case .delete, .deleteTwo, .deleteNext: ["Cancel", "Delete"]
        case .rename: ["Cancel", "OK"]
        case .notice: ["OK"]
        case .permission: ["Don’t Allow", "Allow"]
        case .openIn: ["Cancel", "Open"]
        }
    }

    var isOfSystem: Bool { self == .permission || self == .openIn }
}
