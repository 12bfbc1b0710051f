// What is known of the private API, with where it is known from. None of it is linked: classes and functions are looked up by
// name in the runtime, and a missing one is a failure that names it.
//
// [idb]  Meta's idb, MIT: SimulatorFrameworkBridgeLib, XCTAutomationSupportPrivate.h and AXRuntimePrivate.h
// [rth]  nst/iOS-Runtime-Headers, PrivateFrameworks/AXRuntime.framework/AXElement.h
// [wda]  Appium's WebDriverAgent, BSD: PrivateHeaders/XCTest and XCTestPrivateSymbols.m
// [axe]  AXError.h of ApplicationServices (macOS); iOS adds -25215 (no server) and -25216 (no answer in time) [idb]
#import <CoreGraphics/CoreGraphics.h>
#import <Foundation/Foundation.h>

// [idb] Shipped in the Developer root of a simulator's runtime; the second is a framework of the system.
#define AX_AUTOMATION_SUPPORT "/Developer/Library/PrivateFrameworks/XCTAutomationSupport.framework/XCTAutomationSupport"
#define AX_RUNTIME "/System/Library/PrivateFrameworks/AXRuntime.framework/AXRuntime"
#define AX_LIBRARY "/usr/lib/libAccessibility.dylib"

// [idb] The client of an app's accessibility server. An instance costs a quarter of a second and is kept.
@interface XCTAccessibilityFramework : NSObject
- (instancetype)initForRemoteAccess;
// [idb] One question for a whole subtree. `element` is the raw AXUIElementRef. Answers a dictionary, see the keys below.
- (id)userTestingSnapshotForElement:(id)element options:(NSDictionary *)options error:(NSError **)error;
@end

// [idb] Gives an element for any process id, also for one that has no app.
@interface XCAccessibilityElement : NSObject
+ (instancetype)elementWithProcessIdentifier:(int32_t)pid;
- (void *)AXUIElement;
@end

// [rth]
@interface AXElement : NSObject
+ (AXElement *)primaryApp;
- (int32_t)pid;
@end

// [idb] The options that a snapshot must start from; without them the server answers nothing at all.
typedef NSDictionary *(*ax_default_parameters)(void);
// [wda], [idb] Names of attributes to the runtime's numbers, in the same order. Names that it doesn't know are left out.
typedef NSArray *(*ax_attribute_numbers)(NSArray *names);
// [idb] AXRuntime's boxed values. 3 is a rectangle, as kAXValueCGRectType in AXValue.h of ApplicationServices.
typedef uint32_t (*ax_value_type)(const void *value);
typedef bool (*ax_value_get)(const void *value, uint32_t type, void *out);
enum { AX_VALUE_RECT = 3 };
// AXUIElement.h of ApplicationServices, in seconds.
typedef int32_t (*ax_set_timeout)(const void *element, float seconds);
// libAccessibility, as UI test libraries have used it since 2013 (KIF, EarlGrey): apps tell their whole tree only in this mode.
typedef int32_t (*ax_automation_enabled)(void);
typedef void (*ax_set_automation_enabled)(int32_t enabled);

// [idb] The members of a snapshot's node; its attributes are keyed by the runtime's numbers.
#define AX_NODE_ATTRIBUTES @"UIAccessibilitySnapshotKeyAttributes"
#define AX_NODE_CHILDREN @"UIAccessibilitySnapshotKeyChildren"
#define AX_NODE_ELEMENT @"UIAccessibilitySnapshotKeyElement"
// [idb] Under what an NSError of XCTAccessibilityFramework holds the code of AXRuntime.
#define AX_ERROR_KEY @"accessibility-error"
// [axe]
enum {
    AX_ERROR_ILLEGAL_ARGUMENT = -25201,
    AX_ERROR_INVALID_ELEMENT = -25202,
    AX_ERROR_NO_SERVER = -25215,
    AX_ERROR_NO_ANSWER = -25216,
};
// XCTAutomationSupport's own code for a tree that it could not get; the accessibility error is then in its text alone.
enum { AX_AUTOMATION_NO_SNAPSHOT = 5 };
