/// A text field of the app. Raw values are the ids.
enum Field: String, CaseIterable {
    case email, password, phone, city, note
    case message = "field"

    var hint: String { self == .message ? "Field" : rawValue.prefix(1).uppercased() + rawValue.dropFirst() }
    var isSecure: Bool { self == .password }
    var hasLines: Bool { self == .note }

    var initial: String {
        switch self {
        // The same as its hint: a value alone can't tell the one from the other.
        case .city: "City"
        case .note: String(String(repeating: "The quick brown fox jumps over the lazy dog. ", count: 112).prefix(5000))
        default: ""
        }
    }

    /// What the field makes of a text that is put into it.
    func accept(_ text: String) -> String {
        if self == .phone {
            let digits = Array(text.filter { $0.isASCII && $0.isNumber }.prefix(10)).map(String.init)
            let part = { (range: Range<Int>) in digits[range].joined() }
            switch digits.count {
            case 0...3: return part(0..<digits.count)
            case 4...6: return "(\(part(0..<3))) \(part(3..<digits.count))"
            default: return "(\(part(0..<3))) \(part(3..<6))-\(part(6..<digits.count))"
            }
        }
        return hasLines ? text : text.filter { !$0.isNewline }
    }
}
