#include <evenkeel/backends/exec/stopwatch.hpp>

#include <chrono>
#include <ctime>

namespace evenkeel {

std::int64_t wall_nanoseconds() noexcept {
  using Clock = std::chrono::steady_clock;
  return std::chrono::duration_cast<std::chrono::nanoseconds>(Clock::now().time_since_epoch())
      .count();
}

std::int64_t thread_cpu_nanoseconds() noexcept {
  timespec time{};
  clock_gettime(CLOCK_THREAD_CPUTIME_ID, &time);
  return static_cast<std::int64_t>(time.tv_sec) * 1'000'000'000 + time.tv_nsec;
}

}  // namespace evenkeel
