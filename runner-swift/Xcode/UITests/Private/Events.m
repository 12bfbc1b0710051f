#import "Declarations.h"
#import "Support.h"

#import <objc/runtime.h>

// Bits of an interaction: don't wait for the app to be idle before an event, nor after it.
enum { RUNNER_SKIP_BEFORE = 1, RUNNER_SKIP_AFTER = 2 };
enum { RUNNER_PORTRAIT = 1 };

int32_t runner_process(const void *app)
{
    @try {
        RunnerApplication *target = (__bridge RunnerApplication *)app;
        return [target respondsToSelector:@selector(processID)] ? [target processID] : 0;
    } @catch (NSException *exception) {
        RunnerRaised(RUNNER_FAILED, exception);
        return 0;
    }
}

int32_t runner_orientation(const void *app)
{
    @try {
        RunnerApplication *target = (__bridge RunnerApplication *)app;
        return [target respondsToSelector:@selector(interfaceOrientation)] ? (int32_t)[target interfaceOrientation] : 0;
    } @catch (NSException *exception) {
        RunnerRaised(RUNNER_FAILED, exception);
        return 0;
    }
}

bool runner_without_waits(const void *app, runner_work work, void *context)
{
    @try {
        RunnerApplication *target = (__bridge RunnerApplication *)app;
        if ([target respondsToSelector:@selector(_performWithInteractionOptions:block:)]) {
            [target _performWithInteractionOptions:RUNNER_SKIP_BEFORE | RUNNER_SKIP_AFTER block:^{ work(context); }];
        } else {
            work(context);
        }
        return true;
    } @catch (NSException *exception) {
        RunnerRaised(RUNNER_FAILED, exception);
        return false;
    }
}

// The classes of an event record, or why it can't be made.
static runner_status RunnerPrepare(Class *record, Class *path)
{
    *record = objc_lookUpClass("XCSynthesizedEventRecord");
    *path = objc_lookUpClass("XCPointerEventPath");
    const struct { Class kind; SEL method; } needed[] = {
        { *record, @selector(addPointerEventPath:) },
        { *record, @selector(synthesizeWithError:) },
        { *path, @selector(initForTouchAtPoint:offset:) },
        { *path, @selector(moveToPoint:atOffset:) },
        { *path, @selector(liftUpAtOffset:) },
    };
    for (unsigned at = 0; at < sizeof needed / sizeof needed[0]; at++) {
        if (RunnerHas(needed[at].kind, needed[at].method)) continue;
        return RunnerFail(RUNNER_REFUSED, [NSString stringWithFormat:@"this XCTest has no %@", NSStringFromSelector(needed[at].method)]);
    }
    return RUNNER_OK;
}

static XCSynthesizedEventRecord *RunnerRecord(Class kind, NSString *name)
{
    if (RunnerHas(kind, @selector(initWithName:interfaceOrientation:))) {
        // Points are native: the record must not turn them again.
        return [(XCSynthesizedEventRecord *)[kind alloc] initWithName:name interfaceOrientation:RUNNER_PORTRAIT];
    }
    return RunnerHas(kind, @selector(initWithName:)) ? [(XCSynthesizedEventRecord *)[kind alloc] initWithName:name] : nil;
}

static runner_status RunnerSend(XCSynthesizedEventRecord *record)
{
    NSError *error = nil;
    if ([record synthesizeWithError:&error]) return RUNNER_OK;
    return RunnerFail(RUNNER_FAILED, error.localizedDescription ?: @"the event was not played");
}

runner_status runner_play(const runner_path *paths, int32_t count, int32_t process)
{
    @autoreleasepool {
        runner_status reached = RUNNER_REFUSED;
        @try {
            Class recordClass, pathClass;
            runner_status status = RunnerPrepare(&recordClass, &pathClass);
            if (status != RUNNER_OK) return status;
            XCSynthesizedEventRecord *record = RunnerRecord(recordClass, @"agent-device touch");
            if (!record) return RunnerFail(RUNNER_REFUSED, @"this XCTest makes event records in another way");
            if (process > 0 && RunnerHas(recordClass, @selector(setTargetProcessID:))) [record setTargetProcessID:process];
            for (int32_t at = 0; at < count; at++) {
                const runner_path *pointer = &paths[at];
                if (pointer->count < 2) return RunnerFail(RUNNER_REFUSED, @"a pointer needs two samples");
                const runner_sample *first = &pointer->samples[0], *last = &pointer->samples[pointer->count - 1];
                XCPointerEventPath *path = [(XCPointerEventPath *)[pathClass alloc] initForTouchAtPoint:(CGPoint){ first->x, first->y }
                                                                                                 offset:first->offset];
                for (int32_t next = 1; next < pointer->count; next++) {
                    const runner_sample *sample = &pointer->samples[next];
                    [path moveToPoint:(CGPoint){ sample->x, sample->y } atOffset:sample->offset];
                }
                [path liftUpAtOffset:last->offset];
                [record addPointerEventPath:path];
            }
            reached = RUNNER_FAILED;
            return RunnerSend(record);
        } @catch (NSException *exception) {
            return RunnerRaised(reached, exception);
        }
    }
}

bool runner_can_type(void)
{
    Class recordClass, pathClass;
    return RunnerPrepare(&recordClass, &pathClass) == RUNNER_OK && RunnerHas(pathClass, @selector(initForTextInput))
        && RunnerHas(pathClass, @selector(typeText:atOffset:typingSpeed:shouldRedact:));
}

// One record of text input.
static runner_status RunnerInput(NSString *name, SEL needed, void (^add)(XCPointerEventPath *path))
{
    @autoreleasepool {
        runner_status reached = RUNNER_REFUSED;
        @try {
            Class recordClass, pathClass;
            runner_status status = RunnerPrepare(&recordClass, &pathClass);
            if (status != RUNNER_OK) return status;
            if (!RunnerHas(pathClass, @selector(initForTextInput)) || !RunnerHas(pathClass, needed)) {
                return RunnerFail(RUNNER_REFUSED, [NSString stringWithFormat:@"this XCTest has no %@", NSStringFromSelector(needed)]);
            }
            XCSynthesizedEventRecord *record = RunnerRecord(recordClass, name);
            if (!record) return RunnerFail(RUNNER_REFUSED, @"this XCTest makes event records in another way");
            XCPointerEventPath *path = [(XCPointerEventPath *)[pathClass alloc] initForTextInput];
            add(path);
            [record addPointerEventPath:path];
            reached = RUNNER_FAILED;
            return RunnerSend(record);
        } @catch (NSException *exception) {
            return RunnerRaised(reached, exception);
        }
    }
}

runner_status runner_type(const char *text, uint64_t speed)
{
    NSString *characters = [NSString stringWithUTF8String:text];
    if (!characters) return RunnerFail(RUNNER_REFUSED, @"the text is not UTF-8");
    return RunnerInput(@"agent-device text", @selector(typeText:atOffset:typingSpeed:shouldRedact:), ^(XCPointerEventPath *path) {
        [path typeText:characters atOffset:0 typingSpeed:speed shouldRedact:YES];
    });
}

runner_status runner_press_key(const char *key, uint64_t modifiers)
{
    NSString *name = [NSString stringWithUTF8String:key];
    if (!name) return RunnerFail(RUNNER_REFUSED, @"the key is not UTF-8");
    return RunnerInput(@"agent-device key", @selector(typeKey:modifiers:atOffset:), ^(XCPointerEventPath *path) {
        [path typeKey:name modifiers:modifiers atOffset:0];
    });
}
