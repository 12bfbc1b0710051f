// The part of UIKit that the fixture app uses, as Apple's documentation of each symbol declares it: the page is named above each
// type, below developer.apple.com/documentation/uikit. As with XCTest.swift beside it: for type checks on machines without Xcode,
// never part of a build, and what is missing here fails the check. Optional requirements of protocols have default
// implementations here, because there is no Objective-C.

@_exported import Foundation

// uiresponder
@MainActor open class UIResponder: NSObject {
    public override init() { super.init() }
    open var isFirstResponder: Bool { fatalError() }
    open func becomeFirstResponder() -> Bool { fatalError() }
    open func resignFirstResponder() -> Bool { fatalError() }
}

// uiapplicationdelegate
@MainActor public protocol UIApplicationDelegate: AnyObject {
    init()
    func application(_ application: UIApplication, didFinishLaunchingWithOptions launchOptions: [UIApplication.LaunchOptionsKey: Any]?) -> Bool
    func applicationDidEnterBackground(_ application: UIApplication)
    func applicationWillEnterForeground(_ application: UIApplication)
}
extension UIApplicationDelegate {
    // uiapplicationdelegate/main()
    public static func main() { fatalError() }
}

// uiapplication
@MainActor open class UIApplication: UIResponder {
    public struct LaunchOptionsKey: Hashable, Sendable {}
    open func beginBackgroundTask(expirationHandler handler: (@MainActor @Sendable () -> Void)? = nil) -> UIBackgroundTaskIdentifier { fatalError() }
    open func endBackgroundTask(_ identifier: UIBackgroundTaskIdentifier) {}
}

// uibackgroundtaskidentifier
public struct UIBackgroundTaskIdentifier: Hashable, Sendable {
    public static var invalid: UIBackgroundTaskIdentifier { fatalError() }
}

// uiscreen
@MainActor open class UIScreen: NSObject {
    open class var main: UIScreen { fatalError() }
    open var bounds: CGRect { fatalError() }
}

// uicolor
open class UIColor: NSObject, @unchecked Sendable {
    open class var systemBackground: UIColor { fatalError() }
    open class var secondarySystemBackground: UIColor { fatalError() }
}

// uiimage
open class UIImage: NSObject, @unchecked Sendable {
    public init?(systemName name: String) { fatalError() }
}

// uiaccessibility: on NSObject; those that the app uses are of views and bar items
public struct UIAccessibilityTraits: OptionSet, Sendable {
    public let rawValue: UInt64
    public init(rawValue: UInt64) { self.rawValue = rawValue }
    public static var none: UIAccessibilityTraits { fatalError() }
    public static var button: UIAccessibilityTraits { fatalError() }
    public static var image: UIAccessibilityTraits { fatalError() }
}

// uiaccessibilitycustomaction
@MainActor open class UIAccessibilityCustomAction: NSObject {
    public typealias ActionHandler = @MainActor (UIAccessibilityCustomAction) -> Bool
    public init(name: String, actionHandler: @escaping ActionHandler) { fatalError() }
    open var name: String { get { fatalError() } set {} }
}

// uiview
@MainActor open class UIView: UIResponder {
    public init(frame: CGRect) { super.init() }
    open var frame: CGRect { get { fatalError() } set {} }
    open var bounds: CGRect { get { fatalError() } set {} }
    open var backgroundColor: UIColor? { get { fatalError() } set {} }
    open var superview: UIView? { fatalError() }
    open var subviews: [UIView] { fatalError() }
    open func addSubview(_ view: UIView) {}
    open func removeFromSuperview() {}
    open func bringSubviewToFront(_ view: UIView) {}
    open func layoutIfNeeded() {}
    // uiaccessibility
    open var isAccessibilityElement: Bool { get { fatalError() } set {} }
    open var accessibilityLabel: String? { get { fatalError() } set {} }
    open var accessibilityTraits: UIAccessibilityTraits { get { fatalError() } set {} }
    open var accessibilityElementsHidden: Bool { get { fatalError() } set {} }
    open var accessibilityCustomActions: [UIAccessibilityCustomAction]? { get { fatalError() } set {} }
    // uiaccessibilityidentification
    open var accessibilityIdentifier: String? { get { fatalError() } set {} }
}

// uiwindow
@MainActor open class UIWindow: UIView {
    public override init(frame: CGRect) { super.init(frame: frame) }
    open var rootViewController: UIViewController? { get { fatalError() } set {} }
    open func makeKeyAndVisible() {}
    open func sendEvent(_ event: UIEvent) {}
}

// uievent
@MainActor open class UIEvent: NSObject {
    public enum EventType: Int, Sendable { case touches = 0, motion, remoteControl, presses }
    open var type: EventType { fatalError() }
    open func touches(for window: UIWindow) -> Set<UITouch>? { fatalError() }
}

// uitouch
@MainActor open class UITouch: NSObject {
    public enum Phase: Int, Sendable { case began = 0, moved, stationary, ended, cancelled, regionEntered, regionMoved, regionExited }
    open var phase: Phase { fatalError() }
    open var timestamp: TimeInterval { fatalError() }
    open func location(in view: UIView?) -> CGPoint { fatalError() }
}

// uirectedge
public struct UIRectEdge: OptionSet, Sendable {
    public let rawValue: UInt
    public init(rawValue: UInt) { self.rawValue = rawValue }
    public static var all: UIRectEdge { fatalError() }
}

// uiviewcontroller
@MainActor open class UIViewController: UIResponder {
    open var view: UIView! { get { fatalError() } set {} }
    open func viewDidLoad() {}
    open var prefersStatusBarHidden: Bool { fatalError() }
    open var preferredScreenEdgesDeferringSystemGestures: UIRectEdge { fatalError() }
    open var presentedViewController: UIViewController? { fatalError() }
    open var isBeingDismissed: Bool { fatalError() }
    open func present(_ viewControllerToPresent: UIViewController, animated flag: Bool, completion: (() -> Void)? = nil) {}
    open func dismiss(animated flag: Bool, completion: (() -> Void)? = nil) {}
}

// uialertcontroller
@MainActor open class UIAlertController: UIViewController {
    public enum Style: Int, Sendable { case actionSheet = 0, alert = 1 }
    public convenience init(title: String?, message: String?, preferredStyle: Style) { fatalError() }
    open func addAction(_ action: UIAlertAction) {}
}

// uialertaction
@MainActor open class UIAlertAction: NSObject {
    public enum Style: Int, Sendable { case `default` = 0, cancel, destructive }
    public convenience init(title: String?, style: Style, handler: (@MainActor (UIAlertAction) -> Void)? = nil) { fatalError() }
}

// uiaction
@MainActor open class UIAction: NSObject {
    public convenience init(title: String = "", handler: @escaping @MainActor (UIAction) -> Void) { fatalError() }
}

// uicontrol
@MainActor open class UIControl: UIView {
    public struct Event: OptionSet, Sendable {
        public let rawValue: UInt
        public init(rawValue: UInt) { self.rawValue = rawValue }
        public static var editingChanged: Event { fatalError() }
    }
    public struct State: OptionSet, Sendable {
        public let rawValue: UInt
        public init(rawValue: UInt) { self.rawValue = rawValue }
        public static var normal: State { fatalError() }
    }
    open var isEnabled: Bool { get { fatalError() } set {} }
    open var isSelected: Bool { get { fatalError() } set {} }
    open func addAction(_ action: UIAction, for controlEvents: Event) {}
}

// uibutton
@MainActor open class UIButton: UIControl {
    public enum ButtonType: Int, Sendable { case custom = 0, system = 1 }
    public convenience init(type buttonType: ButtonType) { fatalError() }
    open func title(for state: UIControl.State) -> String? { fatalError() }
    open func setTitle(_ title: String?, for state: UIControl.State) {}
}

// uiswitch
@MainActor open class UISwitch: UIControl {
    public convenience init() { fatalError() }
    open var isOn: Bool { get { fatalError() } set {} }
    open func setOn(_ on: Bool, animated: Bool) {}
}

// uilabel
@MainActor open class UILabel: UIView {
    public convenience init() { fatalError() }
    open var text: String? { get { fatalError() } set {} }
}

// uiimageview
@MainActor open class UIImageView: UIView {
    public init(image: UIImage?) { fatalError() }
}

// uitextinputtraits
public enum UITextAutocapitalizationType: Int, Sendable { case none = 0, words, sentences, allCharacters }
public enum UITextAutocorrectionType: Int, Sendable { case `default` = 0, no, yes }
public enum UITextSpellCheckingType: Int, Sendable { case `default` = 0, no, yes }
public struct UITextContentType: Hashable, Sendable {
    public static var oneTimeCode: UITextContentType { fatalError() }
}

// uitextfield
@MainActor open class UITextField: UIControl {
    public enum BorderStyle: Int, Sendable { case none = 0, line, bezel, roundedRect }
    public override init(frame: CGRect) { super.init(frame: frame) }
    open var text: String? { get { fatalError() } set {} }
    open var placeholder: String? { get { fatalError() } set {} }
    open var borderStyle: BorderStyle { get { fatalError() } set {} }
    open weak var delegate: (any UITextFieldDelegate)? { get { fatalError() } set {} }
    open var inputAccessoryView: UIView? { get { fatalError() } set {} }
    open var isSecureTextEntry: Bool { get { fatalError() } set {} }
    open var textContentType: UITextContentType! { get { fatalError() } set {} }
    open var autocorrectionType: UITextAutocorrectionType { get { fatalError() } set {} }
    open var spellCheckingType: UITextSpellCheckingType { get { fatalError() } set {} }
    open var autocapitalizationType: UITextAutocapitalizationType { get { fatalError() } set {} }
}

// uitextfielddelegate
@MainActor public protocol UITextFieldDelegate: NSObjectProtocol {
    func textFieldDidBeginEditing(_ textField: UITextField)
    func textFieldDidEndEditing(_ textField: UITextField)
    func textFieldShouldReturn(_ textField: UITextField) -> Bool
}

// uiscrollview
@MainActor open class UIScrollView: UIView {
    public enum ContentInsetAdjustmentBehavior: Int, Sendable { case automatic = 0, scrollableAxes, never, always }
    open var contentOffset: CGPoint { get { fatalError() } set {} }
    open var isScrollEnabled: Bool { get { fatalError() } set {} }
    open var contentInsetAdjustmentBehavior: ContentInsetAdjustmentBehavior { get { fatalError() } set {} }
    open func setContentOffset(_ contentOffset: CGPoint, animated: Bool) {}
}

// uitextview
@MainActor open class UITextView: UIScrollView {
    public convenience init() { fatalError() }
    open var text: String! { get { fatalError() } set {} }
    open weak var delegate: (any UITextViewDelegate)? { get { fatalError() } set {} }
    open var autocorrectionType: UITextAutocorrectionType { get { fatalError() } set {} }
    open var spellCheckingType: UITextSpellCheckingType { get { fatalError() } set {} }
    open var autocapitalizationType: UITextAutocapitalizationType { get { fatalError() } set {} }
}

// uitextviewdelegate
@MainActor public protocol UITextViewDelegate: NSObjectProtocol {
    func textViewDidBeginEditing(_ textView: UITextView)
    func textViewDidEndEditing(_ textView: UITextView)
    func textViewDidChange(_ textView: UITextView)
}

// uitableview
@MainActor open class UITableView: UIScrollView {
    public enum Style: Int, Sendable { case plain = 0, grouped, insetGrouped }
    public init(frame: CGRect, style: Style) { super.init(frame: frame) }
    open weak var dataSource: (any UITableViewDataSource)? { get { fatalError() } set {} }
    open var rowHeight: CGFloat { get { fatalError() } set {} }
    open var estimatedRowHeight: CGFloat { get { fatalError() } set {} }
    open func reloadData() {}
    open func dequeueReusableCell(withIdentifier identifier: String) -> UITableViewCell? { fatalError() }
}

// uitableviewdatasource
@MainActor public protocol UITableViewDataSource: NSObjectProtocol {
    func tableView(_ tableView: UITableView, numberOfRowsInSection section: Int) -> Int
    func tableView(_ tableView: UITableView, cellForRowAt indexPath: IndexPath) -> UITableViewCell
}
extension IndexPath {
    // foundation/indexpath/row, which UIKit adds
    public var row: Int { fatalError() }
}

// uitableviewcell
@MainActor open class UITableViewCell: UIView {
    public enum CellStyle: Int, Sendable { case `default` = 0, value1, value2, subtitle }
    public init(style: CellStyle, reuseIdentifier: String?) { fatalError() }
    open var textLabel: UILabel? { fatalError() }
}

// uibaritem
@MainActor open class UIBarItem: NSObject {
    open var accessibilityIdentifier: String? { get { fatalError() } set {} }
}

// uibarbuttonitem
@MainActor open class UIBarButtonItem: UIBarItem {
    public convenience init(primaryAction: UIAction?) { fatalError() }
}

// uitabbaritem
@MainActor open class UITabBarItem: UIBarItem {
    public convenience init(title: String?, image: UIImage?, tag: Int) { fatalError() }
}

// uitabbar
@MainActor open class UITabBar: UIView {
    public override init(frame: CGRect) { super.init(frame: frame) }
    open var items: [UITabBarItem]? { get { fatalError() } set {} }
    open weak var selectedItem: UITabBarItem? { get { fatalError() } set {} }
}

// uitoolbar
@MainActor open class UIToolbar: UIView {
    public override init(frame: CGRect) { super.init(frame: frame) }
    open var items: [UIBarButtonItem]? { get { fatalError() } set {} }
}

// uinavigationbar
@MainActor open class UINavigationBar: UIView {
    public override init(frame: CGRect) { super.init(frame: frame) }
    open var topItem: UINavigationItem? { fatalError() }
    open func setItems(_ items: [UINavigationItem]?, animated: Bool) {}
}

// uinavigationitem
@MainActor open class UINavigationItem: NSObject {
    public init(title: String) { super.init() }
    open var title: String? { get { fatalError() } set {} }
    open var leftBarButtonItem: UIBarButtonItem? { get { fatalError() } set {} }
}
