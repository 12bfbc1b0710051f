#import "Support.h"

#include <string.h>

static _Thread_local char RunnerMessage[512];

const char *runner_message(void)
{
    return RunnerMessage;
}

runner_status RunnerFail(runner_status status, NSString *message)
{
    const char *text = message.UTF8String;
    strlcpy(RunnerMessage, text ? text : "", sizeof RunnerMessage);
    return status;
}

runner_status RunnerRaised(runner_status status, NSException *exception)
{
    return RunnerFail(status, [NSString stringWithFormat:@"%@: %@", exception.name, exception.reason]);
}

bool RunnerHas(Class kind, SEL method)
{
    return kind && [kind instancesRespondToSelector:method];
}

bool runner_catch(runner_work work, void *context)
{
    @try {
        work(context);
        return true;
    } @catch (NSException *exception) {
        RunnerRaised(RUNNER_FAILED, exception);
        return false;
    }
}
