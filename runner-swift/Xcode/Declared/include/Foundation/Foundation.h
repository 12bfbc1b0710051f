// What the runner uses of Foundation beside what the simulator's guest uses, as Apple's documentation of each class declares it
// (developer.apple.com/documentation/foundation, .../objectivec/nsobject). For a syntax check without an SDK.
#pragma once
#include_next <Foundation/Foundation.h>

@interface NSObject (Runner)
- (BOOL)respondsToSelector:(SEL)selector;
- (id)valueForKey:(NSString *)key;
@end

@interface NSString (Runner)
+ (instancetype)stringWithUTF8String:(const char *)bytes;
@end

@interface NSArray (Runner)
- (NSUInteger)countByEnumeratingWithState:(NSFastEnumerationState *)state objects:(id __unsafe_unretained [])buffer count:(NSUInteger)count;
@end

@interface NSDictionary (Runner)
+ (instancetype)dictionary;
@end

@interface NSNumber (Runner)
@property (readonly) BOOL boolValue;
@end

@interface NSSet : NSObject
@property (readonly) NSArray *allObjects;
@end

NSString *NSStringFromSelector(SEL selector);
