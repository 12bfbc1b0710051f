// What the runner needs from XCTest beyond its public API, behind plain C: Swift can't catch an NSException, and every call that
// can raise one is made in the .m files beside this one. Each class and method is looked for before it is used: another Xcode
// may not have it.
#ifndef RUNNER_PRIVATE_H
#define RUNNER_PRIVATE_H

#include <stdbool.h>
#include <stdint.h>

typedef enum runner_status : int32_t {
    RUNNER_OK,
    // Something is missing or was refused before anything was given to the system.
    RUNNER_REFUSED,
    // It was given, and something went wrong.
    RUNNER_FAILED,
    // The accessibility service refuses to serialise a tree as deep as this.
    RUNNER_TOO_DEEP,
} runner_status;

// What the latest refusal or failure says about itself, on the thread that asks.
const char *runner_message(void);

// --- exceptions

typedef void (*runner_work)(void *context);

// Whether the work ended without an exception.
bool runner_catch(runner_work work, void *context);

// --- apps; an app is a borrowed XCUIApplication

// The process of the app, 0 when none is known.
int32_t runner_process(const void *app);
// The app's interface orientation, by the numbers of UIInterfaceOrientation; 0 when it isn't known.
int32_t runner_orientation(const void *app);
// Does the work without XCTest's waits for the app to be idle, or with them where they can't be left out.
bool runner_without_waits(const void *app, runner_work work, void *context);

// --- events

typedef struct runner_sample {
    // Seconds since the first pointer went down.
    double offset;
    // In the native portrait space of the screen.
    double x, y;
} runner_sample;

// A pointer goes down at its first sample and up at its last.
typedef struct runner_path {
    const runner_sample *samples;
    int32_t count;
} runner_path;

runner_status runner_play(const runner_path *paths, int32_t count, int32_t process);
bool runner_can_type(void);
// Characters per second.
runner_status runner_type(const char *text, uint64_t speed);
runner_status runner_press_key(const char *key, uint64_t modifiers);

// --- the accessibility client of the device

// An element of an app, retained or borrowed.
typedef const void *runner_element;

// Texts are NULL where the element says nothing; all of it ends with the visit.
typedef struct runner_node {
    int32_t depth;
    uint64_t type;
    const char *label;
    const char *identifier;
    const char *value;
    const char *placeholder;
    bool has_frame;
    double x, y, width, height;
    bool enabled, selected, focused;
    bool has_children;
    // Borrowed; NULL when it can't be read again.
    runner_element element;
} runner_node;

typedef void (*runner_visit)(void *context, const runner_node *node);

bool runner_has_accessibility(void);
runner_element runner_retain(runner_element element);
void runner_release(runner_element element);
// Reads from `element`, or from the app of the process, down to so many levels, and visits in document order.
runner_status runner_read(int32_t process, runner_element element, int32_t levels, int32_t nodes, runner_visit visit, void *context);

typedef void (*runner_name)(void *context, const char *name);

// Visits the names of the element's custom actions. The call takes as long as the app does.
runner_status runner_actions(runner_element element, runner_name visit, void *context);

#endif
