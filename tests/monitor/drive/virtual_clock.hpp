#pragma once

// A clock that a test advances, so that runs are exact and repeatable.

#include "support/harness.hpp"

#include <evenkeel/monitor/clock.hpp>

namespace evenkeel::test {

inline std::int64_t virtual_time = 0;  // nanoseconds
inline std::int64_t virtual_now() noexcept { return virtual_time; }

// Works in a kernel for this many nanoseconds.
inline void spend(const Kernel& kernel, std::int64_t nanoseconds) {
  const auto timing = kernel.time();
  virtual_time += nanoseconds;
}

}  // namespace evenkeel::test
