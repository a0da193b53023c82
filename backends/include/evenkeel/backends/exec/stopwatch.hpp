#pragma once

// Stopwatches. Wall time for what a user waits for; the CPU time of the calling thread where ranks
// share cores, so that a rank that waits for its turn does not look slow.

#include <evenkeel/backends/export.hpp>

#include <cstdint>

namespace evenkeel {

// Nanoseconds since some fixed moment; monotonic.
EVENKEEL_API std::int64_t wall_nanoseconds() noexcept;

// Nanoseconds that the calling thread has computed.
EVENKEEL_API std::int64_t thread_cpu_nanoseconds() noexcept;

template <std::int64_t (*now)() noexcept>
class BasicStopwatch {
 public:
  void restart() noexcept { start_ = now(); }
  double seconds() const noexcept { return static_cast<double>(now() - start_) * 1e-9; }

  // The seconds since the start or the last lap, and starts the next.
  double lap() noexcept {
    const std::int64_t moment = now();
    const double seconds = static_cast<double>(moment - start_) * 1e-9;
    start_ = moment;
    return seconds;
  }

 private:
  std::int64_t start_ = now();
};

using Stopwatch = BasicStopwatch<&wall_nanoseconds>;
using ThreadCpuStopwatch = BasicStopwatch<&thread_cpu_nanoseconds>;

}  // namespace evenkeel
