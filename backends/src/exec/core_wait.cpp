#include <evenkeel/backends/exec/stopwatch.hpp>

#include <algorithm>
#include <cstdlib>
#include <utility>

#ifdef __linux__
#include <fcntl.h>
#include <sys/resource.h>
#include <unistd.h>
#endif

namespace evenkeel {

#ifdef __linux__

// This file holds three numbers: the time on a core and the time of waiting for a core, both in
// nanoseconds, and how often the thread was on a core.
CoreWait::CoreWait() noexcept : file_(open("/proc/thread-self/schedstat", O_RDONLY | O_CLOEXEC)) {}

CoreWait::~CoreWait() {
  if (file_ >= 0) close(file_);
}

// Before a thread waits for a core, Linux has switched it off a core. Linux counts these switches,
// and the count is cheaper to read than the time.
bool CoreWait::may_have_waited() noexcept {
  rusage usage{};
  if (pthread_equal(maker_, pthread_self()) == 0 || getrusage(RUSAGE_THREAD, &usage) != 0)
    return true;
  const std::int64_t switches = std::int64_t{usage.ru_nvcsw} + usage.ru_nivcsw;
  // if Linux does not count switches, the number is 0, and the thread may have waited
  return std::exchange(switches_, switches) != switches || switches == 0;
}

std::int64_t CoreWait::nanoseconds() noexcept {
  if (file_ < 0 || !may_have_waited()) return last_;
  char text[96];
  const auto length = pread(file_, text, sizeof text - 1, 0);
  if (length <= 0) return last_;
  text[length] = '\0';
  char* end = nullptr;
  static_cast<void>(std::strtoll(text, &end, 10));
  last_ = std::max<std::int64_t>(last_, std::strtoll(end, nullptr, 10));
  return last_;
}

#else

CoreWait::CoreWait() noexcept = default;
CoreWait::~CoreWait() = default;
std::int64_t CoreWait::nanoseconds() noexcept { return last_; }

#endif

}  // namespace evenkeel
