#import "Declarations.h"
#import "Support.h"

#import <objc/runtime.h>

#include <string.h>

// The accessibility service's code for arguments that it refuses, a tree that is too deep among them.
enum { RUNNER_ILLEGAL_ARGUMENT = -25201 };

static RunnerAccessibilityClient *RunnerClient(void)
{
    Class device = objc_lookUpClass("XCUIDevice");
    if (![device respondsToSelector:@selector(sharedDevice)]) return nil;
    RunnerDevice *shared = [(id)device sharedDevice];
    if (![shared respondsToSelector:@selector(accessibilityInterface)]) return nil;
    RunnerAccessibilityClient *client = [shared accessibilityInterface];
    SEL request = @selector(requestSnapshotForElement:attributes:parameters:error:);
    return [client respondsToSelector:request] ? client : nil;
}

static NSArray *RunnerAttributes(void)
{
    NSArray *keyPaths = @[
        @"elementType", @"identifier", @"label", @"value", @"placeholderValue", @"frame", @"enabled", @"selected", @"hasFocus", @"children",
    ];
    Class snapshot = objc_lookUpClass("XCElementSnapshot");
    if ([snapshot respondsToSelector:@selector(axAttributesForElementSnapshotKeyPaths:isMacOS:)]) {
        NSSet *attributes = [(id)snapshot axAttributesForElementSnapshotKeyPaths:keyPaths isMacOS:NO];
        return attributes.allObjects;
    }
    if ([snapshot respondsToSelector:@selector(axAttributesForElementSnapshotKeyPaths:)]) {
        NSSet *attributes = [(id)snapshot axAttributesForElementSnapshotKeyPaths:keyPaths];
        return attributes.allObjects;
    }
    return nil;
}

bool runner_has_accessibility(void)
{
    @try {
        return RunnerClient() && RunnerAttributes();
    } @catch (NSException *exception) {
        RunnerRaised(RUNNER_REFUSED, exception);
        return false;
    }
}

runner_element runner_retain(runner_element element)
{
    return element ? CFRetain(element) : NULL;
}

void runner_release(runner_element element)
{
    if (element) CFRelease(element);
}

// An attribute that can't be read is absent; it must not cost the tree.
static id RunnerValue(id node, NSString *key)
{
    @try {
        return [node valueForKey:key];
    } @catch (NSException *exception) {
        return nil;
    }
}

static const char *RunnerText(id value)
{
    if ([value isKindOfClass:NSString.class]) return [(NSString *)value UTF8String];
    if ([value isKindOfClass:NSNumber.class]) return [(NSNumber *)value stringValue].UTF8String;
    return NULL;
}

static bool RunnerIs(id node, NSString *key)
{
    id value = RunnerValue(node, key);
    return [value isKindOfClass:NSNumber.class] && [(NSNumber *)value boolValue];
}

static void RunnerVisit(id node, int32_t depth, NSArray *children, runner_visit visit, void *context)
{
    runner_node out = { .depth = depth, .has_children = children.count > 0 };
    id type = RunnerValue(node, @"elementType");
    if ([type isKindOfClass:NSNumber.class]) out.type = [(NSNumber *)type unsignedLongLongValue];
    out.label = RunnerText(RunnerValue(node, @"label"));
    out.identifier = RunnerText(RunnerValue(node, @"identifier"));
    out.value = RunnerText(RunnerValue(node, @"value"));
    out.placeholder = RunnerText(RunnerValue(node, @"placeholderValue"));
    out.enabled = RunnerIs(node, @"enabled");
    out.selected = RunnerIs(node, @"selected");
    out.focused = RunnerIs(node, @"hasFocus");
    id frame = RunnerValue(node, @"frame");
    if ([frame isKindOfClass:NSValue.class] && strcmp([(NSValue *)frame objCType], @encode(CGRect)) == 0) {
        CGRect rect;
        [(NSValue *)frame getValue:&rect size:sizeof rect];
        out.has_frame = true;
        out.x = rect.origin.x;
        out.y = rect.origin.y;
        out.width = rect.size.width;
        out.height = rect.size.height;
    }
    out.element = (__bridge runner_element)RunnerValue(node, @"accessibilityElement");
    visit(context, &out);
}

// With a stack of its own: a tree can be deeper than the thread's stack likes.
static void RunnerWalk(id root, int32_t nodes, runner_visit visit, void *context)
{
    NSMutableArray *open = [NSMutableArray arrayWithObject:root];
    NSMutableArray *depths = [NSMutableArray arrayWithObject:@0];
    for (int32_t visited = 0; open.count > 0 && visited < nodes; visited++) {
        id node = open.lastObject;
        int32_t depth = [(NSNumber *)depths.lastObject intValue];
        [open removeLastObject];
        [depths removeLastObject];
        NSArray *children = RunnerValue(node, @"children");
        if (![children isKindOfClass:NSArray.class]) children = @[];
        RunnerVisit(node, depth, children, visit, context);
        for (id child in children.reverseObjectEnumerator) {
            [open addObject:child];
            [depths addObject:@(depth + 1)];
        }
    }
}

static id RunnerApp(RunnerAccessibilityClient *client, int32_t process)
{
    for (RunnerAccessibilityElement *app in [client activeApplications]) {
        if ([app processIdentifier] == process) return app;
    }
    return nil;
}

runner_status runner_read(int32_t process, runner_element element, int32_t levels, int32_t nodes, runner_visit visit, void *context)
{
    @autoreleasepool {
        @try {
            RunnerAccessibilityClient *client = RunnerClient();
            NSArray *attributes = RunnerAttributes();
            if (!client || !attributes) return RunnerFail(RUNNER_REFUSED, @"this XCTest's accessibility client has other methods");
            id from = element ? (__bridge id)element : RunnerApp(client, process);
            if (!from) return RunnerFail(RUNNER_FAILED, [NSString stringWithFormat:@"process %d is no active app", process]);
            NSMutableDictionary *parameters = [[client defaultParameters] mutableCopy] ?: [NSMutableDictionary dictionary];
            parameters[@"maxDepth"] = @(levels);
            parameters[@"maxChildren"] = @(nodes);
            parameters[@"maxArrayCount"] = @(nodes);
            parameters[@"traverseFromParentsToChildren"] = @YES;
            NSError *error = nil;
            id answer = [client requestSnapshotForElement:from attributes:attributes parameters:parameters error:&error];
            if (!answer) {
                runner_status status = error.code == RUNNER_ILLEGAL_ARGUMENT ? RUNNER_TOO_DEEP : RUNNER_FAILED;
                return RunnerFail(status, error.localizedDescription ?: @"the accessibility service gave nothing");
            }
            RunnerWalk(RunnerValue(answer, @"_rootElementSnapshot") ?: answer, nodes, visit, context);
            return RUNNER_OK;
        } @catch (NSException *exception) {
            return RunnerRaised(RUNNER_FAILED, exception);
        }
    }
}

runner_status runner_actions(runner_element element, runner_name visit, void *context)
{
    // The service's name for UIAccessibilityElement's custom actions, each a dictionary.
    NSString *attribute = @"XC_kAXXCAttributeCustomActions";
    @autoreleasepool {
        @try {
            RunnerAccessibilityClient *client = RunnerClient();
            if (![client respondsToSelector:@selector(attributesForElement:attributes:error:)]) {
                return RunnerFail(RUNNER_REFUSED, @"this XCTest's accessibility client reads no single attributes");
            }
            NSError *error = nil;
            NSDictionary *answer = [client attributesForElement:(__bridge id)element attributes:@[ attribute ] error:&error];
            if (![answer isKindOfClass:NSDictionary.class]) {
                return RunnerFail(RUNNER_FAILED, error.localizedDescription ?: @"the accessibility service gave nothing");
            }
            NSArray *actions = answer[attribute];
            if (![actions isKindOfClass:NSArray.class]) return RUNNER_OK;
            for (NSDictionary *action in actions) {
                id name = [action isKindOfClass:NSDictionary.class] ? action[@"CustomActionName"] : nil;
                const char *text = RunnerText(name);
                if (text) visit(context, text);
            }
            return RUNNER_OK;
        } @catch (NSException *exception) {
            return RunnerRaised(RUNNER_FAILED, exception);
        }
    }
}
