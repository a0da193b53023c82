#pragma once

// EVENKEEL_API marks what a shared evenkeel shows; everything else stays hidden.

#if defined(__GNUC__) || defined(__clang__)
#define EVENKEEL_API __attribute__((visibility("default")))
#else
#define EVENKEEL_API
#endif
