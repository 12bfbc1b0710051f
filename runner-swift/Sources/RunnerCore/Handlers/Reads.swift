import Foundation

extension CommandHandlers {
    func findText(_ text: String) throws -> ReplyData {
        var data = ReplyData()
        data.found = text.isBlank ? false : try !drivers.elements.elements(containing: text, in: bundleId).isEmpty
        return data
    }

    /// What is written at a point: a text input's value before anything else, then what the smallest element says.
    func readText(at point: Point) throws -> ReplyData {
        let there = try drivers.elements.elements(at: point, in: bundleId).map(\.attributes)
        guard let text = TextAtPoint.text(point, among: there) else {
            throw RunnerError(.elementNotFound, "there is no text at this point")
        }
        var data = ReplyData()
        data.text = text
        return data
    }

    func screenshot(fullscreen: Bool, inline: Bool) throws -> ReplyData {
        let png = try drivers.screen.screenshot(fullscreen: fullscreen, of: bundleId)
        var data = ReplyData()
        if inline {
            data.imageBase64 = Data(png).base64EncodedString()
        } else {
            data.message = try drivers.screen.store(screenshot: png, name: "screenshot-\(Int(time.uptime * 1000)).png")
        }
        return data
    }
}
