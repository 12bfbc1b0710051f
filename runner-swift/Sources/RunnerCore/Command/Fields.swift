import Foundation

/// The members of one JSON object that came in. Every refusal names the field by its path, as in
/// `gesturePlan.pointers[0].samples[2].offsetMs`. Members that nobody asks for are ignored; `null` is the same as absent.
struct Fields: Decodable {
    private struct Name: CodingKey {
        var stringValue: String
        var intValue: Int? { nil }
        init(stringValue: String) { self.stringValue = stringValue }
        init?(intValue: Int) { nil }
    }

    private let container: KeyedDecodingContainer<Name>

    init(from decoder: any Decoder) throws {
        container = try decoder.container(keyedBy: Name.self)
    }

    /// Reads a whole body.
    static func parse(_ body: [UInt8]) throws -> Fields {
        guard String(validating: body, as: UTF8.self) != nil else {
            throw RunnerError(.invalidArguments, "the body is not UTF-8")
        }
        do {
            return try JSONDecoder().decode(Fields.self, from: Data(body))
        } catch {
            throw RunnerError(.invalidArguments, "the body is not a JSON object")
        }
    }

    // MARK: Single values

    func string(_ name: String) throws -> String? { try value(name, "a string") }
    func bool(_ name: String) throws -> Bool? { try value(name, "true or false") }

    /// A string that is not blank, without white space around it; blank counts as absent.
    func trimmed(_ name: String) throws -> String? {
        let text = try string(name)?.trimmingCharacters(in: .whitespacesAndNewlines)
        return text.flatMap { $0.isEmpty ? nil : $0 }
    }

    func number(_ name: String, in range: ClosedRange<Double>? = nil) throws -> Double? {
        guard let number: Double = try value(name, "a number") else { return nil }
        guard number.isFinite else { throw refusal(name, "must be finite") }
        if let range, !range.contains(number) {
            throw refusal(name, "must be from \(JSON.number(range.lowerBound).text) to \(JSON.number(range.upperBound).text)")
        }
        return number
    }

    func integer(_ name: String, in range: ClosedRange<Int>) throws -> Int? {
        guard let integer: Int = try value(name, "a whole number") else { return nil }
        guard range.contains(integer) else { throw refusal(name, "must be from \(range.lowerBound) to \(range.upperBound)") }
        return integer
    }

    /// One of the words of a type.
    func choice<Choice: RawRepresentable & CaseIterable>(_ name: String, of type: Choice.Type) throws -> Choice?
    where Choice.RawValue == String {
        guard let word = try string(name) else { return nil }
        guard let choice = Choice(rawValue: word) else {
            throw refusal(name, "must be one of \(Choice.allCases.map(\.rawValue).joined(separator: ", "))")
        }
        return choice
    }

    // MARK: Nested objects

    func object(_ name: String) throws -> Fields? { try value(name, "an object") }

    func objects(_ name: String, count: ClosedRange<Int>) throws -> [Fields] {
        let list: [Fields] = try required(value(name, "a list of objects"), name)
        guard count.contains(list.count) else {
            throw refusal(name, "must have from \(count.lowerBound) to \(count.upperBound) entries")
        }
        return list
    }

    func required<Value>(_ value: Value?, _ name: String) throws -> Value {
        guard let value else { throw refusal(name, "is missing") }
        return value
    }

    // MARK: Refusals

    /// The error for a field of this object.
    func refusal(_ name: String, _ problem: String) -> RunnerError {
        RunnerError(.invalidArguments, "\(path(container.codingPath, name)) \(problem)")
    }

    private func value<Value: Decodable>(_ name: String, _ expected: String) throws -> Value? {
        do {
            return try container.decodeIfPresent(Value.self, forKey: Name(stringValue: name))
        } catch {
            // Not always a DecodingError: a number that the type can't hold is another one on Linux.
            throw refusal(name, "must be \(expected)")
        }
    }

    private func path(_ parents: [any CodingKey], _ name: String) -> String {
        var path = ""
        for key in parents {
            path += key.intValue.map { "[\($0)]" } ?? (path.isEmpty ? "" : ".") + key.stringValue
        }
        return path.isEmpty ? name : "\(path).\(name)"
    }
}

extension JSON {
    /// The document as text.
    var text: String { String(decoding: encoded(), as: UTF8.self) }
}
