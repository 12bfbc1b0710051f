// The private accessibility client of a simulator's runtime, behind plain C: Swift can't catch an NSException, and every call
// that can raise one is made in AXPrivate.m.
#ifndef AX_PRIVATE_H
#define AX_PRIVATE_H

#include <stdbool.h>
#include <stdint.h>

typedef enum ax_status : int32_t {
    AX_OK,
    AX_RUNTIME_UNAVAILABLE,
    AX_ELEMENT_MISSING,
    AX_SERVER_UNAVAILABLE,
    AX_TIMEOUT,
    AX_DEPTH_REJECTED,
    AX_VOCABULARY_MISMATCH,
    AX_EXCEPTION,
    AX_EMPTY,
    AX_MALFORMED,
} ax_status;

// An element of an app, as AXRuntime refers to it.
typedef const void *ax_element;

// One element of a tree. Texts are NULL where the element says nothing; all of it ends with the visit.
typedef struct ax_node {
    int32_t depth;
    const char *element_type;
    const char *element_base_type;
    const char *label;
    const char *value;
    const char *placeholder;
    const char *identifier;
    bool has_frame;
    double x, y, width, height;
    bool has_automation_type;
    uint64_t automation_type;
    bool has_traits;
    uint64_t traits;
    // How many children it says that it has; -1 when it doesn't say.
    int64_t children;
    // Borrowed; NULL when it can't be read again.
    ax_element element;
} ax_node;

typedef void (*ax_visit)(void *context, const ax_node *node);

// The process whose app is in front; 0 when the system doesn't say.
ax_status ax_foreground_pid(int32_t *pid);

// The root of the app of this process, retained.
ax_status ax_application(int32_t pid, ax_element *element);

ax_element ax_retain(ax_element element);
void ax_release(ax_element element);

// Reads from `element` on, down to so many levels, and visits the elements in document order, `nodes` + 1 at most.
ax_status ax_read(ax_element element, int32_t levels, int32_t nodes, double seconds, ax_visit visit, void *context);

// What the latest failure says about itself. Only one thread may use any of this.
const char *ax_message(void);

#endif
