// developer.apple.com/documentation/corefoundation. For a syntax check without an SDK; never part of a build.
#pragma once

typedef const void *CFTypeRef;
typedef const struct __CFDictionary *CFDictionaryRef;

CFTypeRef CFRetain(CFTypeRef object);
void CFRelease(CFTypeRef object);
