// What the .m files share.
#pragma once
#import <Foundation/Foundation.h>
#import "RunnerPrivate.h"

// Remembers why, and returns the status.
runner_status RunnerFail(runner_status status, NSString *message);
runner_status RunnerRaised(runner_status status, NSException *exception);
// Whether the class is there and its instances have the method.
bool RunnerHas(Class kind, SEL method);
