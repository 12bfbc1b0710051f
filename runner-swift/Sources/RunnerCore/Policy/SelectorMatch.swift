/// Which element a selector names. Never an arbitrary one of several: a caller that gets the wrong one of two equal labels can't
/// know it.
public enum SelectorMatch {
    /// What is done about several candidates, and about those that a touch doesn't reach.
    public enum Policy: Equatable, Sendable {
        /// tap, type: one candidate, and it must be hittable.
        case rejectDistinctMatches
        /// querySelector: a hittable one before the others.
        case preferHittableMatch
        /// With the caller's permission to touch a place that isn't called hittable: without a hittable candidate the only one
        /// with a frame. With a point, only candidates under it count, and the point itself is touched.
        case allowNonHittable(at: Point?)
    }

    public enum Choice {
        case miss
        /// How many candidates were left.
        case ambiguous(Int)
        case element(FoundElement)
        /// Not hittable: its place is touched.
        case place(FoundElement, Point)
    }

    /// Whether the selector holds: the whole text, without case, white space around it left out and runs of it as one space. A
    /// blank value names nothing. `text` is any of label, identifier and value.
    public static func holds(_ selector: Command.ElementSelector, for attributes: NodeAttributes) -> Bool {
        let wanted = normalize(selector.value)
        guard !wanted.isEmpty else { return false }
        let texts = switch selector.key {
        case .id: [attributes.identifier]
        case .label: [attributes.label]
        case .value: [attributes.value]
        case .text: [attributes.label, attributes.identifier, attributes.value]
        }
        return texts.contains { $0.map(normalize) == wanted }
    }

    /// Whether label, identifier or value contain the text, without case.
    public static func contains(_ text: String, in attributes: NodeAttributes) -> Bool {
        Scope(text)?.matches(attributes) ?? false
    }

    static func normalize(_ text: String) -> String {
        text.split(whereSeparator: \.isWhitespace).joined(separator: " ").lowercased()
    }

    public static func choose(
        _ selector: Command.ElementSelector, among candidates: [FoundElement], policy: Policy
    ) -> Choice {
        var seen = Set<IdentityKey>()
        let matches = candidates.filter { candidate in
            guard holds(selector, for: candidate.attributes) else { return false }
            guard let key = IdentityKey(candidate.attributes, includingSize: true) else { return true }
            return seen.insert(key).inserted
        }
        switch policy {
        case .rejectDistinctMatches:
            guard matches.count <= 1 else { return .ambiguous(matches.count) }
            return matches.first.flatMap { $0.isHittable ? .element($0) : nil } ?? .miss
        case .preferHittableMatch:
            let hittable = matches.filter(\.isHittable)
            return only(hittable.isEmpty ? matches : hittable) { .element($0) }
        case .allowNonHittable(let point):
            let eligible = point.map { point in
                matches.filter { $0.attributes.knownFrame.map { $0.isUsable && $0.contains(point) } ?? false }
            } ?? matches
            let hittable = eligible.filter(\.isHittable)
            if !hittable.isEmpty {
                return only(hittable) { element in point.map { .place(element, $0) } ?? .element(element) }
            }
            let placed = eligible.filter { $0.attributes.knownFrame?.isUsable ?? false }
            return only(placed) { element in .place(element, point ?? element.attributes.knownFrame?.center ?? Point(0, 0)) }
        }
    }

    private static func only(_ elements: [FoundElement], _ choice: (FoundElement) -> Choice) -> Choice {
        guard let first = elements.first else { return .miss }
        return elements.count == 1 ? choice(first) : .ambiguous(elements.count)
    }
}
