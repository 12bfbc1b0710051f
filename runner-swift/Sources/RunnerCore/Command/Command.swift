/// A command with its arguments, checked.
public enum Command: Equatable, Sendable {
    case tap(Tap)
    case mouseClick(Point, MouseButton)
    case longPress(Point, durationMs: Double)
    case drag(Drag)
    case scroll(Scroll)
    case desktopScroll(Scroll)
    case swipe(Direction)
    case remotePress(RemoteButton, durationMs: Double?)
    case gesture(GestureRequest)
    case sequence([SequenceStep])
    case type(TypeText)
    case findText(String)
    case querySelector(ElementSelector)
    case readText(Point)
    case snapshot(SnapshotRequest)
    case screenshot(fullscreen: Bool, inline: Bool)
    case rotate(InterfaceOrientation)
    case alert(AlertAction, timeoutMs: Double?)
    case recordStart(outPath: String, fps: Int?)
    case status(of: String)
    /// Those without arguments of their own.
    case plain(CommandName)

    public struct Tap: Equatable, Sendable {
        public var selector: ElementSelector?
        public var point: Point?
        public var isSynthesized: Bool
        public var allowsNonHittable: Bool
        public var inspectsPoint: Bool
    }

    public struct Drag: Equatable, Sendable {
        public var from: Point
        public var to: Point
        public var durationMs: Double
        public var isSynthesized: Bool
    }

    public struct Scroll: Equatable, Sendable {
        public var direction: Direction
        public var distance: Distance
        public var durationMs: Double?
        public var release: Release

        public enum Distance: Equatable, Sendable {
            /// A part of the viewport.
            case amount(Double)
            /// In points.
            case pixels(Double)
        }

        public enum Release: String, CaseIterable, Sendable { case controlled, inertial }
    }

    public struct SequenceStep: Equatable, Sendable {
        public enum Kind: String, CaseIterable, Sendable { case tap, doubleTap, longPress }

        public var kind: Kind
        public var point: Point
        public var durationMs: Double?
        public var pauseMs: Double
        public var isSynthesized: Bool
    }

    public struct TypeText: Equatable, Sendable {
        public enum Mode: String, CaseIterable, Sendable { case append, replace }

        public var text: String
        public var selector: ElementSelector?
        public var point: Point?
        public var delayMs: Double
        /// Nil: keys are pressed and nothing is verified.
        public var mode: Mode?
        public var allowsNonHittable: Bool
    }

    public struct SnapshotRequest: Equatable, Sendable {
        public var interactiveOnly: Bool
        public var depth: Int?
        public var scope: String?
        public var raw: Bool
        public var preferredBackend: String?
        public var customActions: Bool
    }

    public struct GestureRequest: Equatable, Sendable {
        public var topology: String
        public var intent: String
        public var executionProfile: String?
        public var durationMs: Double
        public var viewport: Rect
        public var pointers: [Pointer]

        public struct Pointer: Equatable, Sendable {
            public var id: Int
            public var samples: [Sample]
        }

        public struct Sample: Equatable, Sendable {
            public var offsetMs: Double
            public var point: Point
        }
    }

    /// What of an element is compared, and with what.
    public struct ElementSelector: Equatable, Sendable {
        public enum Key: String, CaseIterable, Sendable { case id, label, value, text }

        public var key: Key
        public var value: String
    }

    public enum Direction: String, CaseIterable, Sendable { case up, down, left, right }
    public enum MouseButton: String, CaseIterable, Sendable { case primary, secondary, middle }
    public enum RemoteButton: String, CaseIterable, Sendable { case select, menu, home, up, down, left, right }
    public enum AlertAction: String, CaseIterable, Sendable { case get, accept, dismiss }
}
