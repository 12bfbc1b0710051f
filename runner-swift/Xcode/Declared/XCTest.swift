// The part of XCTest and XCUIAutomation that the runner uses, as Apple's documentation of each symbol declares it: the page is
// named above each type, below developer.apple.com/documentation. For type checks on machines without Xcode; never part of a
// build. What is missing here fails the check, so the runner can't use more than is declared, and a declaration that is wrong is
// found by the first Mac.

import Foundation

// xctest/xctestcase
open class XCTestCase: NSObject {
    open var continueAfterFailure: Bool { get { true } set {} }
    open func setUp() {}
    open func record(_ issue: XCTIssue) {}
    open func expectation(description: String) -> XCTestExpectation { fatalError() }
    open func wait(for expectations: [XCTestExpectation], timeout seconds: TimeInterval) {}
}

// xctest/xctestexpectation
open class XCTestExpectation: NSObject, @unchecked Sendable {
    open func fulfill() {}
}

// xctest/xctissue-swift.struct
public struct XCTIssue {
    // xctest/xctissuereference/issuetype
    public enum IssueType: Int { case assertionFailure = 0 }
    public var compactDescription: String
    public init(type: IssueType, compactDescription: String) { self.compactDescription = compactDescription }
}

// xcuiautomation/xcuielementattributes
@MainActor public protocol XCUIElementAttributes {
    var identifier: String { get }
    var frame: CGRect { get }
    var value: Any? { get }
    var title: String { get }
    var label: String { get }
    var elementType: XCUIElement.ElementType { get }
    var isEnabled: Bool { get }
    var placeholderValue: String? { get }
    var isSelected: Bool { get }
    var hasFocus: Bool { get }
}

// xcuiautomation/xcuielementsnapshot
@MainActor public protocol XCUIElementSnapshot: XCUIElementAttributes {
    var children: [any XCUIElementSnapshot] { get }
}

// xcuiautomation/xcuielementsnapshotproviding
@MainActor public protocol XCUIElementSnapshotProviding {
    func snapshot() throws -> any XCUIElementSnapshot
}

// xcuiautomation/xcuielementtypequeryprovider
@MainActor public protocol XCUIElementTypeQueryProvider {
    var windows: XCUIElementQuery { get }
    var alerts: XCUIElementQuery { get }
    var sheets: XCUIElementQuery { get }
    var buttons: XCUIElementQuery { get }
    var keyboards: XCUIElementQuery { get }
    var navigationBars: XCUIElementQuery { get }
    var staticTexts: XCUIElementQuery { get }
    var toolbars: XCUIElementQuery { get }
    var firstMatch: XCUIElement { get }
}

// xcuiautomation/xcuielement
@MainActor open class XCUIElement: NSObject, XCUIElementAttributes, XCUIElementSnapshotProviding, XCUIElementTypeQueryProvider {
    // xcuiautomation/xcuielement/elementtype; the runner goes by its numbers
    public enum ElementType: UInt, Sendable { case any = 0 }

    open var exists: Bool { fatalError() }
    open var isHittable: Bool { fatalError() }
    open func descendants(matching type: ElementType) -> XCUIElementQuery { fatalError() }
    open func coordinate(withNormalizedOffset normalizedOffset: CGVector) -> XCUICoordinate { fatalError() }
    open func typeText(_ text: String) { fatalError() }
    #if CHECK_IOS
        open func tap() { fatalError() }
    #endif
    #if CHECK_MACOS
        open func click() { fatalError() }
    #endif

    public func snapshot() throws -> any XCUIElementSnapshot { fatalError() }
    public func screenshot() -> XCUIScreenshot { fatalError() }

    public var identifier: String { fatalError() }
    public var frame: CGRect { fatalError() }
    public var value: Any? { fatalError() }
    public var title: String { fatalError() }
    public var label: String { fatalError() }
    public var elementType: ElementType { fatalError() }
    public var isEnabled: Bool { fatalError() }
    public var placeholderValue: String? { fatalError() }
    public var isSelected: Bool { fatalError() }
    public var hasFocus: Bool { fatalError() }

    public var windows: XCUIElementQuery { fatalError() }
    public var alerts: XCUIElementQuery { fatalError() }
    public var sheets: XCUIElementQuery { fatalError() }
    public var buttons: XCUIElementQuery { fatalError() }
    public var keyboards: XCUIElementQuery { fatalError() }
    public var navigationBars: XCUIElementQuery { fatalError() }
    public var staticTexts: XCUIElementQuery { fatalError() }
    public var toolbars: XCUIElementQuery { fatalError() }
    public var firstMatch: XCUIElement { fatalError() }
}

// xcuiautomation/xcuielementquery
@MainActor open class XCUIElementQuery: NSObject, XCUIElementTypeQueryProvider {
    open var allElementsBoundByIndex: [XCUIElement] { fatalError() }
    open func matching(_ predicate: NSPredicate) -> XCUIElementQuery { fatalError() }

    public var windows: XCUIElementQuery { fatalError() }
    public var alerts: XCUIElementQuery { fatalError() }
    public var sheets: XCUIElementQuery { fatalError() }
    public var buttons: XCUIElementQuery { fatalError() }
    public var keyboards: XCUIElementQuery { fatalError() }
    public var navigationBars: XCUIElementQuery { fatalError() }
    public var staticTexts: XCUIElementQuery { fatalError() }
    public var toolbars: XCUIElementQuery { fatalError() }
    public var firstMatch: XCUIElement { fatalError() }
}

// xcuiautomation/xcuiapplication
@MainActor open class XCUIApplication: XCUIElement {
    // xcuiautomation/xcuiapplication/state-swift.enum
    public enum State: UInt, Sendable {
        case unknown = 0
        case notRunning = 1
        case runningBackgroundSuspended = 2
        case runningBackground = 3
        case runningForeground = 4
    }

    public override init() { super.init() }
    public init(bundleIdentifier: String) { super.init() }
    open var state: State { fatalError() }
    open func activate() { fatalError() }
    open func terminate() { fatalError() }
    open func wait(for state: State, timeout: TimeInterval) -> Bool { fatalError() }
}

// xcuiautomation/xcuicoordinate
@MainActor open class XCUICoordinate: NSObject {
    open func withOffset(_ offsetVector: CGVector) -> XCUICoordinate { fatalError() }
    #if CHECK_IOS || CHECK_MACOS
        open func press(forDuration duration: TimeInterval) { fatalError() }
        open func press(forDuration duration: TimeInterval, thenDragTo otherCoordinate: XCUICoordinate) { fatalError() }
    #endif
    #if CHECK_IOS
        open func tap() { fatalError() }
        open func doubleTap() { fatalError() }
    #endif
    #if CHECK_MACOS
        open func click() { fatalError() }
        open func doubleClick() { fatalError() }
        open func rightClick() { fatalError() }
        open func scroll(byDeltaX deltaX: CGFloat, deltaY: CGFloat) { fatalError() }
    #endif
}

// xcuiautomation/xcuiscreen
@MainActor open class XCUIScreen: NSObject {
    public class var main: XCUIScreen { fatalError() }
    public func screenshot() -> XCUIScreenshot { fatalError() }
}

// xcuiautomation/xcuiscreenshot
@MainActor open class XCUIScreenshot: NSObject {
    open var image: Image { fatalError() }
    open var pngRepresentation: Data { fatalError() }

    // uikit/uiimage and appkit/nsimage: both have a size in points
    @MainActor public struct Image {
        public var size: CGSize { fatalError() }
    }
}

#if CHECK_IOS
    // uikit/uideviceorientation
    public enum UIDeviceOrientation: Int, Sendable {
        case unknown = 0, portrait, portraitUpsideDown, landscapeLeft, landscapeRight, faceUp, faceDown
    }

    // xcuiautomation/xcuidevice
    @MainActor open class XCUIDevice: NSObject {
        // xcuiautomation/xcuidevice/button
        public enum Button: Int, Sendable { case home = 1 }

        public class var shared: XCUIDevice { fatalError() }
        open var orientation: UIDeviceOrientation { get { fatalError() } set {} }
        open func press(_ button: Button) { fatalError() }
    }
#endif

#if CHECK_TVOS
    // xcuiautomation/xcuiremote
    @MainActor open class XCUIRemote: NSObject {
        // xcuiautomation/xcuiremote/button
        public enum Button: UInt, Sendable { case up = 0, down = 1, left = 2, right = 3, select = 4, menu = 5, playPause = 6, home = 7 }

        public class var shared: XCUIRemote { fatalError() }
        open func press(_ remoteButton: Button) { fatalError() }
        open func press(_ remoteButton: Button, forDuration duration: TimeInterval) { fatalError() }
    }
#endif

// foundation/nspredicate and corefoundation/cgvector, which Foundation on Linux does not have
extension NSPredicate {
    public convenience init(format predicateFormat: String, _ args: any CVarArg...) { fatalError() }
}

public struct CGVector: Sendable {
    public var dx: CGFloat
    public var dy: CGFloat
    public init(dx: CGFloat, dy: CGFloat) {
        self.dx = dx
        self.dy = dy
    }
}

extension String {
    // Foundation bridges String to CVarArg where there is an Objective-C runtime.
}
