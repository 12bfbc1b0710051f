// The app that the test bundle is installed with. It shows nothing: what is tested is always another app.
#import <TargetConditionals.h>

#if TARGET_OS_OSX
#import <AppKit/AppKit.h>

int main(int argc, const char *argv[]) {
    return NSApplicationMain(argc, argv);
}
#else
#import <UIKit/UIKit.h>

@interface AgentDeviceRunnerApp : UIResponder <UIApplicationDelegate>
@end

@implementation AgentDeviceRunnerApp
@end

int main(int argc, char *argv[]) {
    @autoreleasepool {
        return UIApplicationMain(argc, argv, nil, NSStringFromClass(AgentDeviceRunnerApp.class));
    }
}
#endif
