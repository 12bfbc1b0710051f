// strcmp(3), strlcpy(3) of macOS. For a syntax check without an SDK; never part of a build.
#pragma once
#include <stddef.h>

int strcmp(const char *left, const char *right);
size_t strlcpy(char *into, const char *from, size_t size);
