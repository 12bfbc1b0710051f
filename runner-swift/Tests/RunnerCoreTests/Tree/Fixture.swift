import Foundation
import XCTest

@testable import RunnerCore

/// A table of cases that other implementations of the same rule read too.
enum Fixture {
    static func load<Table: Decodable>(_ name: String, as type: Table.Type = Table.self) throws -> Table {
        let package = URL(fileURLWithPath: #filePath)
            .deletingLastPathComponent().deletingLastPathComponent().deletingLastPathComponent().deletingLastPathComponent()
        let data = try Data(contentsOf: package.appendingPathComponent("Fixtures/\(name).json"))
        return try JSONDecoder().decode(type, from: data)
    }
}

struct Cases<Case: Decodable>: Decodable {
    var cases: [Case]
}

/// A number of a fixture, or one of the words for what JSON has no number for.
struct Number: Decodable {
    var value: Double

    init(from decoder: Decoder) throws {
        let container = try decoder.singleValueContainer()
        if let value = try? container.decode(Double.self) {
            self.value = value
        } else {
            let word = try container.decode(String.self)
            self.value = try ["inf": .infinity, "-inf": -.infinity, "nan": .nan][word] ?? { throw Unknown(word: word) }()
        }
    }

    struct Unknown: Error {
        var word: String
    }
}

extension Rect {
    init(_ numbers: [Number]) {
        self.init(numbers[0].value, numbers[1].value, numbers[2].value, numbers[3].value)
    }

    init(_ numbers: [Double]) {
        self.init(numbers[0], numbers[1], numbers[2], numbers[3])
    }
}
