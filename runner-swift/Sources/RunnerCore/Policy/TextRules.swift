/// Times and sizes of typing. Durations in seconds.
public enum TextEntry {
    public static let focusWait = 0.4
    public static let readyWait = 2.0
    /// With a hardware keyboard no keyboard comes: nothing may depend on seeing one.
    public static let hardwareKeyboardWait = 0.35
    public static let poll = 0.02
    /// How long the first character is waited for.
    public static let warmUp = 0.4
    /// How long a value must not change before it counts.
    public static let stability = 0.2
    /// Characters a second of private text events.
    public static let typingSpeed = 60

    /// Text is typed in these parts: the first character alone, because the first key event while a keyboard appears swallows
    /// those behind it; with a delay each character alone.
    public static func parts(_ text: String, hasDelay: Bool) -> [String] {
        if hasDelay { return text.map(String.init) }
        let (first, rest) = (text.prefix(1), text.dropFirst())
        return [String(first), String(rest)].filter { !$0.isEmpty }
    }
}

/// What a text field holds.
public enum FieldValue: Equatable, Sendable {
    /// Gone, or not said: not the same as empty.
    case unreadable
    /// A secret: only whether there is one can be seen. How many dots are drawn is the app's choice.
    case concealed(isEmpty: Bool)
    case text(String)

    /// The label of a field that has none of its own, which some frameworks also give as its value.
    static let genericLabel = "Text input field"

    /// A value that is the field's own hint is no text: the field is empty.
    public init(_ attributes: NodeAttributes?) {
        guard let attributes, let value = attributes.value else {
            self = .unreadable
            return
        }
        let text = Self.isHint(value, placeholder: attributes.placeholder) ? "" : value
        self = attributes.type == .secureTextField ? .concealed(isEmpty: text.isEmpty) : .text(text)
    }

    /// Whether a field that holds this text looks the same as an empty one.
    static func isHint(_ text: String, placeholder: String?) -> Bool {
        [placeholder?.trimmedOrNil, genericLabel].contains(text.trimmed)
    }
}

/// Whether a field holds what it should, and what is done when it doesn't.
public enum TextVerification: Equatable, Sendable {
    case verified
    /// The app has written the text in its own way: the same letters and digits with other signs, as phone numbers are.
    case reformatted
    /// The field can't be read.
    case unobserved
    /// It holds something else, or it should be empty and nothing says that it is.
    case mismatch

    /// - Parameters:
    ///   - wanted: what the field should hold now.
    ///   - isMultiline: a text view keeps the newline at the end; in a field it was the return key.
    public init(wanted: String, observed: FieldValue, isMultiline: Bool = false) {
        let text: String
        switch observed {
        case .text(let seen): text = seen
        case .concealed(true) where wanted.isEmpty:
            self = .verified
            return
        case .concealed, .unreadable:
            self = wanted.isEmpty ? .mismatch : .unobserved
            return
        }
        let wanted = isMultiline ? wanted : Self.withoutReturn(wanted)
        let held = isMultiline ? text : Self.withoutReturn(text)
        if held == wanted {
            self = .verified
        } else if wanted.isEmpty || held.isEmpty {
            self = .mismatch
        } else if Self.words(held) == Self.words(wanted) || Self.isAutoCapitalised(held, wanted) {
            self = .verified
        } else if !Self.substance(wanted).isEmpty && Self.substance(held) == Self.substance(wanted) {
            self = .reformatted
        } else {
            self = .mismatch
        }
    }

    private static func withoutReturn(_ text: String) -> String {
        text.hasSuffix("\n") ? String(text.dropLast()) : text
    }

    private static func words(_ text: String) -> [Substring] { text.split(whereSeparator: \.isWhitespace) }

    private static func isAutoCapitalised(_ held: String, _ wanted: String) -> Bool {
        held.prefix(1).lowercased() == wanted.prefix(1).lowercased() && held.dropFirst() == wanted.dropFirst()
    }

    private static func substance(_ text: String) -> String { text.filter { $0.isLetter || $0.isNumber } }
}

/// The one repair of a text that came out wrong.
public enum TextRepair {
    /// Whether typing once more is right. A replacement is repaired whatever happened. An appended text only when characters were
    /// dropped, and few: clearing and typing what someone else wrote would not be a repair.
    public static func isAllowed(mode: Command.TypeText.Mode, wanted: String, observed: String) -> Bool {
        switch mode {
        case .replace: return true
        case .append:
            let dropped = wanted.count - observed.count
            return dropped > 0 && dropped <= max(2, wanted.count / 4) && isSubsequence(observed, of: wanted)
        }
    }

    private static func isSubsequence(_ part: String, of whole: String) -> Bool {
        var left = part[...]
        for character in whole where left.first == character { left.removeFirst() }
        return left.isEmpty
    }
}

/// Empties a field.
public enum TextClear {
    static let counts = 24...120
    /// More than the value is long: the caret may stand anywhere, and characters may count twice.
    static let surplus = 8

    /// How many delete keys empty a field with this value; 0 for one that is empty.
    public static func deletes(for value: FieldValue) -> Int {
        switch value {
        case .unreadable, .concealed(false): counts.lowerBound
        case .concealed(true): 0
        case .text(let text) where text.isEmpty: 0
        case .text(let text): min(counts.upperBound, max(counts.lowerBound, text.count + surplus))
        }
    }

    /// Longer than one round of keys: it is better selected as a whole, where that can be done.
    public static func isLong(_ value: FieldValue) -> Bool {
        if case .text(let text) = value { return text.count + surplus > counts.upperBound }
        return false
    }

    /// How often clearing goes on: a value longer than one round of keys takes several. Each must shorten it.
    public static func shouldGoOn(before: FieldValue, after: FieldValue) -> Bool {
        guard case .text(let old) = before, case .text(let new) = after else { return false }
        return !new.isEmpty && new.count < old.count
    }

    /// Where the caret is put before: right of the text's end.
    public static func caret(in frame: Rect) -> Point { Point(max(frame.x, frame.maxX - 4), frame.center.y) }
}
