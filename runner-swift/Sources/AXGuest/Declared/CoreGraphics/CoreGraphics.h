// developer.apple.com/documentation/coregraphics. For a syntax check without an SDK; never part of a build.
#pragma once
#import <CoreFoundation/CoreFoundation.h>
#include <stdbool.h>

typedef double CGFloat;
typedef struct { CGFloat x, y; } CGPoint;
typedef struct { CGFloat width, height; } CGSize;
typedef struct { CGPoint origin; CGSize size; } CGRect;

bool CGRectMakeWithDictionaryRepresentation(CFDictionaryRef dictionary, CGRect *rect);
