// developer.apple.com/documentation/objectivec. For a syntax check without an SDK; never part of a build.
#pragma once

#include <stdbool.h>

typedef bool BOOL;

#define nil ((id)0)

Class objc_lookUpClass(const char *name);
