import RunnerCore

/// What the screen looks like: each element a plain area, brighter the later it is drawn. A PNG without compression, one byte for
/// each pixel, one pixel for each two points.
enum Picture {
    private static let pointsPerPixel = 2.0

    static func png(_ scene: Scene) -> [UInt8] {
        let (width, height) = (Int(scene.viewport.width / pointsPerPixel), Int(scene.viewport.height / pointsPerPixel))
        var pixels = [UInt8](repeating: 255, count: width * height)
        for (at, element) in scene.elements.enumerated() where element.isDrawn && !element.visible.isEmpty {
            let shade = UInt8(truncatingIfNeeded: 30 + at * 37 % 200)
            let area = element.visible.intersection(scene.viewport)
            if area.isEmpty { continue }
            let columns = Int(area.x / pointsPerPixel)..<min(width, Int(area.maxX / pointsPerPixel))
            for row in Int(area.y / pointsPerPixel)..<min(height, Int(area.maxY / pointsPerPixel)) {
                for column in columns { pixels[row * width + column] = shade }
            }
        }
        var rows: [UInt8] = []
        for row in 0..<height {
            rows.append(0)  // no filter
            rows += pixels[row * width..<(row + 1) * width]
        }
        let header = bytes(UInt32(width)) + bytes(UInt32(height)) + [8, 0, 0, 0, 0]
        return [0x89, 0x50, 0x4e, 0x47, 0x0d, 0x0a, 0x1a, 0x0a] + chunk("IHDR", header) + chunk("IDAT", stored(rows))
            + chunk("IEND", [])
    }

    private static func bytes(_ number: UInt32) -> [UInt8] { (0..<4).map { UInt8(truncatingIfNeeded: number >> (24 - 8 * $0)) } }

    private static func chunk(_ name: String, _ body: [UInt8]) -> [UInt8] {
        let named = Array(name.utf8) + body
        return bytes(UInt32(body.count)) + named + bytes(crc32(named))
    }

    /// A zlib stream of blocks that are stored as they are.
    private static func stored(_ content: [UInt8]) -> [UInt8] {
        var stream: [UInt8] = [0x78, 0x01]
        var rest = content[...]
        repeat {
            let block = rest.prefix(65535)
            rest = rest.dropFirst(block.count)
            let length = UInt16(block.count)
            stream += [rest.isEmpty ? 1 : 0, UInt8(length & 255), UInt8(length >> 8), UInt8(~length & 255), UInt8(~length >> 8)]
            stream += block
        } while !rest.isEmpty
        var (low, high): (UInt32, UInt32) = (1, 0)
        for byte in content { (low, high) = ((low + UInt32(byte)) % 65521, (high + low + UInt32(byte)) % 65521) }
        return stream + bytes(high << 16 | low)
    }

    private static let table: [UInt32] = (0..<256).map { start in
        (0..<8).reduce(UInt32(start)) { value, _ in value & 1 == 1 ? 0xedb8_8320 ^ value >> 1 : value >> 1 }
    }

    private static func crc32(_ content: [UInt8]) -> UInt32 {
        ~content.reduce(~UInt32(0)) { table[Int(($0 ^ UInt32($1)) & 255)] ^ $0 >> 8 }
    }
}
