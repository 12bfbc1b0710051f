// Private methods of XCTest that the runner uses. The names are those that class dumps of Xcode's XCTest.framework and
// XCTAutomationSupport.framework list (for instance the PrivateHeaders of github.com/appium/WebDriverAgent). None of it is
// promised by Apple: each is looked for before it is called.
#pragma once
#include <stdint.h>
#import <CoreGraphics/CoreGraphics.h>
#import <Foundation/Foundation.h>

@interface XCPointerEventPath : NSObject
- (instancetype)initForTouchAtPoint:(CGPoint)point offset:(double)offset;
- (instancetype)initForTextInput;
- (void)moveToPoint:(CGPoint)point atOffset:(double)offset;
- (void)liftUpAtOffset:(double)offset;
- (void)typeText:(NSString *)text atOffset:(double)offset typingSpeed:(uint64_t)speed shouldRedact:(BOOL)redact;
- (void)typeKey:(NSString *)key modifiers:(uint64_t)modifiers atOffset:(double)offset;
@end

@interface XCSynthesizedEventRecord : NSObject
- (instancetype)initWithName:(NSString *)name interfaceOrientation:(NSInteger)orientation;
- (instancetype)initWithName:(NSString *)name;
- (void)setTargetProcessID:(int)process;
- (void)addPointerEventPath:(XCPointerEventPath *)path;
- (BOOL)synthesizeWithError:(NSError **)error;
@end

// An XCUIApplication or another XCUIElement.
@interface RunnerApplication : NSObject
- (int)processID;
- (NSInteger)interfaceOrientation;
- (void)_performWithInteractionOptions:(uint64_t)options block:(void (^)(void))block;
@end

@interface RunnerAccessibilityElement : NSObject
- (int)processIdentifier;
@end

@interface RunnerAccessibilityClient : NSObject
- (NSArray *)activeApplications;
- (NSDictionary *)defaultParameters;
- (id)requestSnapshotForElement:(id)element attributes:(NSArray *)attributes parameters:(NSDictionary *)parameters error:(NSError **)error;
- (NSDictionary *)attributesForElement:(id)element attributes:(NSArray *)attributes error:(NSError **)error;
@end

@interface RunnerDevice : NSObject
+ (instancetype)sharedDevice;
- (RunnerAccessibilityClient *)accessibilityInterface;
@end

@interface RunnerSnapshotClass : NSObject
+ (NSSet *)axAttributesForElementSnapshotKeyPaths:(NSArray *)keyPaths isMacOS:(BOOL)isMacOS;
+ (NSSet *)axAttributesForElementSnapshotKeyPaths:(NSArray *)keyPaths;
@end
