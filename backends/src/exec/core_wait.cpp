#include <evenkeel/backends/exec/core_wait.hpp>

#include <algorithm>
#include <cstdlib>

#ifdef __linux__
#include <fcntl.h>
#include <unistd.h>
#endif

namespace evenkeel {

#ifdef __linux__

// "<on a core> <waiting for one> <times it got one>", the first two in nanoseconds.
CoreWait::CoreWait() noexcept : file_(open("/proc/thread-self/schedstat", O_RDONLY | O_CLOEXEC)) {}

CoreWait::~CoreWait() {
  if (file_ >= 0) close(file_);
}

std::int64_t CoreWait::nanoseconds() noexcept {
  char text[96];
  const auto length = file_ >= 0 ? pread(file_, text, sizeof text - 1, 0) : -1;
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
