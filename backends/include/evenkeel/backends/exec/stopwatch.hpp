#pragma once

// Stopwatches. Wall time measures what a user waits for. CPU time of the calling thread is for
// ranks that share cores, so that a rank waiting for its turn does not look slow.

#include <evenkeel/backends/export.hpp>

#include <cstdint>

namespace evenkeel {

// Nanoseconds since some fixed moment; monotonic.
EVENKEEL_API std::int64_t wall_nanoseconds() noexcept;

// Nanoseconds of CPU time that the calling thread has used.
EVENKEEL_API std::int64_t thread_cpu_nanoseconds() noexcept;

// Runs from its construction on, by the clock `now`.
template <std::int64_t (*now)() noexcept>
class BasicStopwatch {
 public:
  double seconds() const noexcept { return static_cast<double>(now() - start_) * 1e-9; }

  // Starts anew. Returns the seconds since the last start.
  double restart() noexcept {
    const std::int64_t moment = now();
    const double seconds = static_cast<double>(moment - start_) * 1e-9;
    start_ = moment;
    return seconds;
  }

 private:
  std::int64_t start_ = now();
};

// Wall time, and the CPU time of the thread that asks.
using Stopwatch = BasicStopwatch<&wall_nanoseconds>;
using ThreadCpuStopwatch = BasicStopwatch<&thread_cpu_nanoseconds>;

}  // namespace evenkeel
