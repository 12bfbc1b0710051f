#import "AXPrivate.h"
#import "AXDeclarations.h"

#include <dlfcn.h>
#include <objc/runtime.h>
#include <string.h>

// The names of the attributes that are asked for. The first `AX_REQUIRED` must be there; one that an older runtime doesn't know
// is left out, because one unknown name costs all attributes of every node.
static NSString *const AXNames[] = {
    @"XC_kAXXCAttributeElementType",      @"XC_kAXXCAttributeElementBaseType", @"XC_kAXXCAttributeLabel",
    @"XC_kAXXCAttributeValue",            @"XC_kAXXCAttributeIdentifier",      @"XC_kAXXCAttributeFrame",
    @"XC_kAXXCAttributeAutomationType",   @"XC_kAXXCAttributeChildren",        @"XC_kAXXCAttributePlaceholderValue",
    @"XC_kAXXCAttributeTraits",
};
enum {
    AX_TYPE, AX_BASE_TYPE, AX_LABEL, AX_VALUE, AX_IDENTIFIER, AX_FRAME, AX_AUTOMATION_TYPE, AX_CHILDREN,
    AX_REQUIRED, AX_PLACEHOLDER = AX_REQUIRED, AX_TRAITS, AX_COUNT,
};

static char AXMessage[512];

static ax_status AXFail(ax_status status, NSString *message)
{
    const char *text = message.UTF8String;
    strlcpy(AXMessage, text ? text : "", sizeof AXMessage);
    return status;
}

const char *ax_message(void)
{
    return AXMessage;
}

// What is looked up in the runtime, once.
static struct {
    bool ready;
    XCTAccessibilityFramework *framework;
    Class elements;
    Class apps;
    ax_default_parameters parameters;
    ax_value_type value_type;
    ax_value_get value_get;
    ax_set_timeout set_timeout;
    NSArray *numbers;
    // For each name its number; nil for a name that this runtime doesn't know.
    NSNumber *number[AX_COUNT];
} AX;

static ax_status AXPrepareUnguarded(void)
{
    if (AX.ready) return AX_OK;
    dlopen(AX_RUNTIME, RTLD_NOW);
    dlopen(AX_AUTOMATION_SUPPORT, RTLD_NOW);
    dlopen(AX_LIBRARY, RTLD_NOW);
    Class framework = objc_lookUpClass("XCTAccessibilityFramework");
    AX.elements = objc_lookUpClass("XCAccessibilityElement");
    AX.apps = objc_lookUpClass("AXElement");
    AX.parameters = (ax_default_parameters)dlsym(RTLD_DEFAULT, "XCTDefaultSnapshotParameters");
    AX.value_type = (ax_value_type)dlsym(RTLD_DEFAULT, "AXValueGetType");
    AX.value_get = (ax_value_get)dlsym(RTLD_DEFAULT, "AXValueGetValue");
    AX.set_timeout = (ax_set_timeout)dlsym(RTLD_DEFAULT, "AXUIElementSetMessagingTimeout");
    ax_attribute_numbers numbers =
        (ax_attribute_numbers)dlsym(RTLD_DEFAULT, "XCAXAccessibilityAttributesForStringAttributes");
    ax_automation_enabled enabled = (ax_automation_enabled)dlsym(RTLD_DEFAULT, "_AXSAutomationEnabled");
    ax_set_automation_enabled enable = (ax_set_automation_enabled)dlsym(RTLD_DEFAULT, "_AXSSetAutomationEnabled");
    const struct { const char *name; const void *found; } needed[] = {
        { "XCTAccessibilityFramework", (__bridge const void *)framework },
        { "XCAccessibilityElement", (__bridge const void *)AX.elements },
        { "AXElement", (__bridge const void *)AX.apps },
        { "XCTDefaultSnapshotParameters", (const void *)AX.parameters },
        { "AXValueGetType", (const void *)AX.value_type },
        { "AXValueGetValue", (const void *)AX.value_get },
        { "XCAXAccessibilityAttributesForStringAttributes", (const void *)numbers },
        { "_AXSAutomationEnabled", (const void *)enabled },
        { "_AXSSetAutomationEnabled", (const void *)enable },
    };
    for (size_t at = 0; at < sizeof needed / sizeof needed[0]; at++) {
        if (!needed[at].found) {
            return AXFail(AX_RUNTIME_UNAVAILABLE, [NSString stringWithFormat:@"this runtime has no %s", needed[at].name]);
        }
    }
    SEL snapshot = @selector(userTestingSnapshotForElement:options:error:);
    if (![framework instancesRespondToSelector:snapshot] || ![AX.apps respondsToSelector:@selector(primaryApp)]) {
        return AXFail(AX_RUNTIME_UNAVAILABLE, @"this runtime's accessibility client has other methods");
    }
    NSMutableArray *known = [NSMutableArray array];
    for (int at = 0; at < AX_COUNT; at++) {
        // One by one: an unknown name in a list would move the numbers of those after it.
        NSArray *one = numbers(@[ AXNames[at] ]);
        bool found = [one isKindOfClass:NSArray.class] && one.count == 1 && [one[0] isKindOfClass:NSNumber.class];
        if (!found && at < AX_REQUIRED) {
            return AXFail(AX_VOCABULARY_MISMATCH, [NSString stringWithFormat:@"this runtime doesn't know %@", AXNames[at]]);
        }
        AX.number[at] = found ? one[0] : nil;
        if (found) [known addObject:one[0]];
    }
    if (!enabled()) enable(1);
    AX.framework = [(XCTAccessibilityFramework *)[framework alloc] initForRemoteAccess];
    if (!AX.framework) return AXFail(AX_RUNTIME_UNAVAILABLE, @"the accessibility client could not be made");
    AX.numbers = known;
    AX.ready = true;
    return AX_OK;
}

static ax_status AXRaised(NSException *exception)
{
    return AXFail(AX_EXCEPTION, [NSString stringWithFormat:@"%@: %@", exception.name, exception.reason]);
}

ax_status ax_foreground_pid(int32_t *pid)
{
    @autoreleasepool {
        @try {
            ax_status status = AXPrepareUnguarded();
            if (status != AX_OK) return status;
            AXElement *front = [(id)AX.apps primaryApp];
            int32_t owner = front ? [front pid] : 0;
            *pid = owner > 0 ? owner : 0;
            return AX_OK;
        } @catch (NSException *exception) {
            return AXRaised(exception);
        }
    }
}

ax_status ax_application(int32_t pid, ax_element *element)
{
    @autoreleasepool {
        @try {
            ax_status status = AXPrepareUnguarded();
            if (status != AX_OK) return status;
            XCAccessibilityElement *app = [(id)AX.elements elementWithProcessIdentifier:pid];
            void *raw = app ? [app AXUIElement] : NULL;
            if (!raw) return AXFail(AX_ELEMENT_MISSING, [NSString stringWithFormat:@"process %d has no element", pid]);
            *element = ax_retain(raw);
            return AX_OK;
        } @catch (NSException *exception) {
            return AXRaised(exception);
        }
    }
}

ax_element ax_retain(ax_element element)
{
    return element ? CFRetain(element) : NULL;
}

void ax_release(ax_element element)
{
    if (element) CFRelease(element);
}

// Which failure an error of the client is.
static ax_status AXFailure(NSError *error)
{
    NSNumber *number = error.userInfo[AX_ERROR_KEY];
    long code = [number isKindOfClass:NSNumber.class] ? number.longValue : error.code;
    NSString *text = error.localizedDescription;
    switch (code) {
        case AX_ERROR_ILLEGAL_ARGUMENT: return AXFail(AX_DEPTH_REJECTED, text);
        case AX_ERROR_INVALID_ELEMENT: return AXFail(AX_ELEMENT_MISSING, text);
        case AX_ERROR_NO_SERVER: return AXFail(AX_SERVER_UNAVAILABLE, text);
        case AX_ERROR_NO_ANSWER: return AXFail(AX_TIMEOUT, text);
        case AX_AUTOMATION_NO_SNAPSHOT: return AXFail(AX_DEPTH_REJECTED, text);
        default: return AXFail(error ? AX_SERVER_UNAVAILABLE : AX_EMPTY, error ? text : @"the server gave nothing");
    }
}

static const char *AXText(id value)
{
    if ([value isKindOfClass:NSString.class]) return [(NSString *)value UTF8String];
    if ([value isKindOfClass:NSNumber.class]) return [(NSNumber *)value stringValue].UTF8String;
    // A failed attribute comes as an error in the place of its value.
    return NULL;
}

static bool AXNumber(id value, uint64_t *out)
{
    if (![value isKindOfClass:NSNumber.class]) return false;
    *out = [(NSNumber *)value unsignedLongLongValue];
    return true;
}

static bool AXRect(id value, CGRect *out)
{
    if (!value) return false;
    if ([value isKindOfClass:NSValue.class]) {
        if (strcmp([(NSValue *)value objCType], @encode(CGRect)) != 0) return false;
        [(NSValue *)value getValue:out size:sizeof *out];
        return true;
    }
    if ([value isKindOfClass:NSDictionary.class]) {
        return CGRectMakeWithDictionaryRepresentation((__bridge CFDictionaryRef)value, out);
    }
    if ([value isKindOfClass:NSString.class] || [value isKindOfClass:NSError.class]) return false;
    const void *boxed = (__bridge const void *)value;
    return AX.value_type(boxed) == AX_VALUE_RECT && AX.value_get(boxed, AX_VALUE_RECT, out);
}

static void AXVisit(NSDictionary *node, int32_t depth, NSArray *nested, ax_visit visit, void *context)
{
    NSDictionary *attributes = node[AX_NODE_ATTRIBUTES];
    if (![attributes isKindOfClass:NSDictionary.class]) attributes = @{};
    id (^attribute)(int) = ^id(int at) {
        return AX.number[at] ? attributes[AX.number[at]] : nil;
    };
    ax_node out = { .depth = depth, .children = -1 };
    out.element_type = AXText(attribute(AX_TYPE));
    out.element_base_type = AXText(attribute(AX_BASE_TYPE));
    out.label = AXText(attribute(AX_LABEL));
    out.value = AXText(attribute(AX_VALUE));
    out.placeholder = AXText(attribute(AX_PLACEHOLDER));
    out.identifier = AXText(attribute(AX_IDENTIFIER));
    out.has_automation_type = AXNumber(attribute(AX_AUTOMATION_TYPE), &out.automation_type);
    out.has_traits = AXNumber(attribute(AX_TRAITS), &out.traits);
    CGRect frame;
    if (AXRect(attribute(AX_FRAME), &frame)) {
        out.has_frame = true;
        out.x = frame.origin.x;
        out.y = frame.origin.y;
        out.width = frame.size.width;
        out.height = frame.size.height;
    }
    // The attribute holds every child, the nesting only those that were read.
    NSArray *children = attribute(AX_CHILDREN);
    if ([children isKindOfClass:NSArray.class]) {
        out.children = (int64_t)children.count;
    } else if (nested.count > 0) {
        out.children = (int64_t)nested.count;
    }
    out.element = (__bridge ax_element)node[AX_NODE_ELEMENT];
    visit(context, &out);
}

// In document order with a stack of our own: a tree can be deeper than the thread's stack likes.
static ax_status AXWalk(id root, int32_t nodes, ax_visit visit, void *context)
{
    if (![root isKindOfClass:NSDictionary.class]) return AXFail(AX_MALFORMED, @"the snapshot is no dictionary");
    NSMutableArray *open = [NSMutableArray arrayWithObject:root];
    NSMutableArray *depths = [NSMutableArray arrayWithObject:@0];
    for (int32_t visited = 0; open.count > 0 && visited <= nodes; visited++) {
        NSDictionary *node = open.lastObject;
        int32_t depth = [(NSNumber *)depths.lastObject intValue];
        [open removeLastObject];
        [depths removeLastObject];
        if (![node isKindOfClass:NSDictionary.class]) return AXFail(AX_MALFORMED, @"an element of the snapshot is no dictionary");
        NSArray *nested = node[AX_NODE_CHILDREN];
        if (![nested isKindOfClass:NSArray.class]) nested = @[];
        AXVisit(node, depth, nested, visit, context);
        for (id child in nested.reverseObjectEnumerator) {
            [open addObject:child];
            [depths addObject:@(depth + 1)];
        }
    }
    return AX_OK;
}

ax_status ax_read(ax_element element, int32_t levels, int32_t nodes, double seconds, ax_visit visit, void *context)
{
    @autoreleasepool {
        @try {
            ax_status status = AXPrepareUnguarded();
            if (status != AX_OK) return status;
            NSMutableDictionary *options = [AX.parameters() mutableCopy];
            if (!options) return AXFail(AX_RUNTIME_UNAVAILABLE, @"this runtime has no default parameters");
            options[@"attributes"] = AX.numbers;
            options[@"maxDepth"] = @(levels);
            options[@"maxChildren"] = @(nodes);
            options[@"maxArrayCount"] = @(nodes);
            options[@"traverseFromParentsToChildren"] = @YES;
            if (AX.set_timeout) AX.set_timeout(element, (float)seconds);
            NSError *error = nil;
            id root = [AX.framework userTestingSnapshotForElement:(__bridge id)element options:options error:&error];
            if (!root) return AXFailure(error);
            return AXWalk(root, nodes, visit, context);
        } @catch (NSException *exception) {
            return AXRaised(exception);
        }
    }
}
