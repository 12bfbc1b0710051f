import RunnerCore
import UIKit

/// Pointers from the first one down to the last one up, in points of the screen.
struct ScreenContact {
    struct Track {
        var touch: ObjectIdentifier
        var points: [(at: Double, place: CGPoint)]
    }

    var tracks: [Track]

    /// In seconds since the first pointer went down.
    var contact: Contact {
        let began = start
        return Contact(
            tracks: tracks.map { track in
                track.points.map { (offset: $0.at - began, point: Point(Double($0.place.x), Double($0.place.y))) }
            })
    }

    /// Uptimes, in seconds.
    var start: Double { tracks.compactMap { $0.points.first?.at }.min() ?? 0 }
    var end: Double { tracks.compactMap { $0.points.last?.at }.max() ?? 0 }
}

/// What becomes of a contact.
enum ContactEvent {
    case began(at: Double, CGPoint)
    case ended(ScreenContact)
    /// The system took it for a gesture of its own.
    case cancelled
}

/// Sees every touch of the app: what the log says is what came in, whatever UIKit makes of it. Where a touch comes down is looked
/// at before its control reacts, and what it means after.
final class TouchedWindow: UIWindow {
    var onContact: ((ContactEvent) -> Void)?
    private var tracks: [ScreenContact.Track] = []

    override func sendEvent(_ event: UIEvent) {
        let touches = (event.type == .touches ? event.touches(for: self) : nil) ?? []
        for touch in touches { follow(touch) }
        super.sendEvent(event)
        guard touches.allSatisfy({ $0.phase == .ended || $0.phase == .cancelled }), !tracks.isEmpty else { return }
        let contact = ScreenContact(tracks: tracks)
        tracks = []
        onContact?(touches.contains { $0.phase == .cancelled } ? .cancelled : .ended(contact))
    }

    private func follow(_ touch: UITouch) {
        let (id, point) = (ObjectIdentifier(touch), (at: touch.timestamp, place: touch.location(in: nil)))
        if touch.phase == .began {
            if tracks.isEmpty { onContact?(.began(at: point.at, point.place)) }
            tracks.append(ScreenContact.Track(touch: id, points: [point]))
        } else if touch.phase != .stationary, let at = tracks.lastIndex(where: { $0.touch == id }) {
            tracks[at].points.append(point)
        }
    }
}
