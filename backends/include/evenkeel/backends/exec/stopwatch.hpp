#pragma once

// Stopwatches. Wall time is the time that a user waits. CPU time of the calling thread is for ranks
// that share cores, so that a rank that waits for a core does not look slow.

#include <evenkeel/backends/config.hpp>

#include <pthread.h>
#include <cstdint>

namespace evenkeel {

// Nanoseconds since some fixed moment; monotonic.
EVENKEEL_API std::int64_t wall_nanoseconds() noexcept;

// Nanoseconds of CPU time that the calling thread has used.
EVENKEEL_API std::int64_t thread_cpu_nanoseconds() noexcept;

namespace detail {

// Starts when it is constructed, and reads the clock `now`.
template <std::int64_t (*now)() noexcept>
class BasicStopwatch {
 public:
  double seconds() const noexcept { return static_cast<double>(now() - start_) * 1e-9; }

  // Starts again. Returns the seconds since the last start.
  double restart() noexcept {
    const std::int64_t moment = now();
    const double seconds = static_cast<double>(moment - start_) * 1e-9;
    start_ = moment;
    return seconds;
  }

 private:
  std::int64_t start_ = now();
};

}  // namespace detail

// These measure wall time, and the CPU time of the calling thread.
using Stopwatch = detail::BasicStopwatch<&wall_nanoseconds>;
using ThreadCpuStopwatch = detail::BasicStopwatch<&thread_cpu_nanoseconds>;

// --- Waiting for a core --------------------------------------------------------------------------
// The time that a thread has waited for a core that other threads were using. Wall time minus this
// wait is the time of the thread's own work, with waits for devices and files, however busy the
// machine is.

// Measures the wait of the thread that constructs it. Only Linux reports this wait; on other
// systems it is unknown.
class EVENKEEL_API CoreWait {
 public:
  CoreWait() noexcept;
  CoreWait(const CoreWait&) = delete;
  CoreWait& operator=(const CoreWait&) = delete;
  ~CoreWait();

  bool is_known() const noexcept { return file_ >= 0; }

  // The total so far, or 0 if it is unknown; never decreases. Makes system calls, which take some
  // microseconds if the thread has waited since the last call, and less than one if it has not.
  std::int64_t nanoseconds() noexcept;

 private:
  bool may_have_waited() noexcept;

  int file_ = -1;
  pthread_t maker_ = pthread_self();
  std::int64_t switches_ = -1;  // context switches of the maker, as last counted
  std::int64_t last_ = 0;
};

}  // namespace evenkeel
