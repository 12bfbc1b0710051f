/// What kind of element a node is, by the raw number of `XCUIElement.ElementType`. XCTest does not exist on Linux, and the
/// private accessibility client reports bare numbers, so the number itself is the type; unknown ones pass through.
public struct ElementType: RawRepresentable, Hashable, Sendable {
    public let rawValue: UInt

    public init(rawValue: UInt) {
        self.rawValue = rawValue
    }

    private init(_ rawValue: UInt) {
        self.rawValue = rawValue
    }

    public static let other = ElementType(1)
    public static let application = ElementType(2)
    public static let window = ElementType(4)
    public static let sheet = ElementType(5)
    public static let alert = ElementType(7)
    public static let button = ElementType(9)
    public static let checkBox = ElementType(12)
    public static let keyboard = ElementType(19)
    public static let key = ElementType(20)
    public static let navigationBar = ElementType(21)
    public static let tabBar = ElementType(22)
    public static let toolbar = ElementType(24)
    public static let table = ElementType(26)
    public static let collectionView = ElementType(32)
    public static let slider = ElementType(33)
    public static let progressIndicator = ElementType(35)
    public static let activityIndicator = ElementType(36)
    public static let segmentedControl = ElementType(37)
    public static let picker = ElementType(38)
    public static let `switch` = ElementType(40)
    public static let link = ElementType(42)
    public static let image = ElementType(43)
    public static let searchField = ElementType(45)
    public static let scrollView = ElementType(46)
    public static let scrollBar = ElementType(47)
    public static let staticText = ElementType(48)
    public static let textField = ElementType(49)
    public static let secureTextField = ElementType(50)
    public static let textView = ElementType(52)
    public static let menuItem = ElementType(54)
    public static let webView = ElementType(58)
    public static let cell = ElementType(75)
    public static let stepper = ElementType(79)

    /// The types that have a word on the wire. Hosts know these and read the others by number.
    static let names: [ElementType: String] = [
        .other: "Other", .application: "Application", .window: "Window", .button: "Button", .checkBox: "CheckBox",
        .keyboard: "Keyboard", .key: "Key", .navigationBar: "NavigationBar", .tabBar: "TabBar", .toolbar: "Toolbar",
        .table: "Table", .collectionView: "CollectionView", .slider: "Slider", .progressIndicator: "ProgressIndicator",
        .activityIndicator: "ActivityIndicator", .segmentedControl: "SegmentedControl", .picker: "Picker", .switch: "Switch",
        .link: "Link", .image: "Image", .searchField: "SearchField", .scrollView: "ScrollView", .staticText: "StaticText",
        .textField: "TextField", .secureTextField: "SecureTextField", .textView: "TextView", .menuItem: "MenuItem",
        .webView: "WebView", .cell: "Cell", .stepper: "Stepper",
    ]

    /// The word on the wire: `Button`, or `Element(7)` for a type without a word.
    public var name: String { Self.names[self] ?? "Element(\(rawValue))" }

    /// The field types that take typed text.
    public var takesText: Bool { Self.textInputs.contains(self) }
    public static let textInputs: Set<ElementType> = [.textField, .secureTextField, .searchField, .textView]

    /// The types that own a clip and can move their content.
    public var scrolls: Bool { self == .collectionView || self == .scrollView || self == .table }

    /// The types that stand for the screen as a whole.
    public var isRoot: Bool { self == .application || self == .window }
}
