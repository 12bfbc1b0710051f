#import "RunnerPrivate.h"
