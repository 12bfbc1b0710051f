/// Texts come from apps under test. A label of many megabytes would fill the reply, and no selector needs it.
public enum TextLimit {
    /// Bytes of UTF-8 in one label, identifier or value. Long notes must come through whole (5000 characters are usual), a
    /// book need not.
    public static let attribute = 64 * 1024
    /// Names of custom actions on one node, and characters in one.
    public static let actionsPerNode = 8
    public static let actionName = 80

    /// The text, cut between two scalars.
    public static func cut(_ text: String?, to limit: Int = attribute) -> String? {
        guard let text, text.utf8.count > limit else { return text }
        var end = text.utf8.index(text.utf8.startIndex, offsetBy: limit)
        while end.samePosition(in: text.unicodeScalars) == nil { end = text.utf8.index(before: end) }
        return String(text.unicodeScalars[..<end])
    }

    /// Names of actions as they go out: trimmed, none blank, none twice, cut, few; and whether anything had to be cut.
    static func actions(_ names: [String]) -> (names: [String], isCut: Bool) {
        var seen = Set<String>()
        let whole = names.map(\.trimmed).filter { !$0.isEmpty && seen.insert($0).inserted }
        let kept = whole.prefix(actionsPerNode).map { String($0.prefix(actionName)) }
        return (kept, kept != whole)
    }
}

extension NodeAttributes {
    /// With all texts within the limit, and whether something was cut.
    func limited() -> (attributes: NodeAttributes, isCut: Bool) {
        let long = [label, identifier, value, placeholder].contains { ($0?.utf8.count ?? 0) > TextLimit.attribute }
        guard long else { return (self, false) }
        var limited = self
        limited.label = TextLimit.cut(label)
        limited.identifier = TextLimit.cut(identifier)
        limited.value = TextLimit.cut(value)
        limited.placeholder = TextLimit.cut(placeholder)
        return (limited, true)
    }
}
