// The part of Foundation that AXPrivate.m uses, as Apple's documentation of each class declares it
// (developer.apple.com/documentation/foundation). For a syntax check without an SDK; never part of a build.
#pragma once
#import <CoreFoundation/CoreFoundation.h>
#import <objc/runtime.h>

typedef unsigned long NSUInteger;
typedef long NSInteger;

__attribute__((objc_root_class))
@interface NSObject
+ (instancetype)alloc;
+ (Class)class;
+ (BOOL)instancesRespondToSelector:(SEL)selector;
+ (BOOL)respondsToSelector:(SEL)selector;
- (instancetype)init;
- (id)mutableCopy;
- (BOOL)isKindOfClass:(Class)kind;
@end

typedef struct {
    unsigned long state;
    id __unsafe_unretained *itemsPtr;
    unsigned long *mutationsPtr;
    unsigned long extra[5];
} NSFastEnumerationState;

@interface NSEnumerator : NSObject
- (NSUInteger)countByEnumeratingWithState:(NSFastEnumerationState *)state objects:(id __unsafe_unretained [])buffer count:(NSUInteger)count;
@end

@interface NSString : NSObject
@property (readonly) const char *UTF8String;
+ (instancetype)stringWithFormat:(NSString *)format, ... __attribute__((format(__NSString__, 1, 2)));
@end

@interface NSArray : NSObject
@property (readonly) NSUInteger count;
@property (readonly) id lastObject;
@property (readonly) NSEnumerator *reverseObjectEnumerator;
+ (instancetype)arrayWithObjects:(const id [])objects count:(NSUInteger)count;
- (id)objectAtIndexedSubscript:(NSUInteger)index;
@end

@interface NSMutableArray : NSArray
+ (instancetype)array;
+ (instancetype)arrayWithObject:(id)object;
- (void)addObject:(id)object;
- (void)removeLastObject;
@end

@protocol NSCopying
@end

@interface NSDictionary : NSObject
+ (instancetype)dictionaryWithObjects:(const id [])objects forKeys:(const id<NSCopying> [])keys count:(NSUInteger)count;
- (id)objectForKeyedSubscript:(id)key;
@end

@interface NSMutableDictionary : NSDictionary
- (void)setObject:(id)object forKeyedSubscript:(id<NSCopying>)key;
@end

@interface NSValue : NSObject
@property (readonly) const char *objCType;
- (void)getValue:(void *)value size:(NSUInteger)size;
@end

@interface NSNumber : NSValue
@property (readonly) NSString *stringValue;
@property (readonly) long longValue;
@property (readonly) int intValue;
@property (readonly) unsigned long long unsignedLongLongValue;
+ (NSNumber *)numberWithInt:(int)value;
+ (NSNumber *)numberWithBool:(BOOL)value;
@end

@interface NSError : NSObject
@property (readonly) NSInteger code;
@property (readonly) NSDictionary *userInfo;
@property (readonly) NSString *localizedDescription;
@end

@interface NSException : NSObject
@property (readonly) NSString *name;
@property (readonly) NSString *reason;
@end

@interface NSString (Copying) <NSCopying>
@end

// clang's own names for constant strings.
@interface NSConstantString : NSString
@end

#define YES __objc_yes
#define NO __objc_no
