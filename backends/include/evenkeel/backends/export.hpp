#pragma once

// EVENKEEL_API marks the symbols that a shared evenkeel exports; all others stay hidden.

#if defined(__GNUC__) || defined(__clang__)
#define EVENKEEL_API __attribute__((visibility("default")))
#else
#define EVENKEEL_API
#endif
