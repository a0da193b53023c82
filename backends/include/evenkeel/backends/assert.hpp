#pragma once

// Checks of evenkeel's own invariants, by level (CMake option EVENKEEL_ASSERTIONS). User input is
// never checked here: it is checked at every level and reported by exceptions. A broken invariant
// is an Error too: nothing aborts the process. The collective form is in comm/vote.hpp.

#include <evenkeel/backends/config.hpp>
#include <evenkeel/backends/export.hpp>

namespace evenkeel::detail {

[[noreturn]] EVENKEEL_API void assertion_failed(const char* condition, const char* meaning,
                                                const char* file, int line);

}  // namespace evenkeel::detail

// Throws an Error that says what the condition means, if it is false; evaluated from the level
// `local` on. Local.
#if EVENKEEL_ASSERTION_LEVEL >= 1
#define EVENKEEL_ASSERT(condition, meaning) \
  ((condition) ? void()                     \
               : ::evenkeel::detail::assertion_failed(#condition, meaning, __FILE__, __LINE__))
#else
#define EVENKEEL_ASSERT(condition, meaning) static_cast<void>(sizeof((condition) ? 1 : 0))
#endif
