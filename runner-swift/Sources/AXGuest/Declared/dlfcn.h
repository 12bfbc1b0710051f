// dlopen(3), dlsym(3) of macOS. For a syntax check without an SDK; never part of a build.
#pragma once

#define RTLD_NOW 0x2
#define RTLD_DEFAULT ((void *)-2)

void *dlopen(const char *path, int mode);
void *dlsym(void *handle, const char *symbol);
