#pragma once

// How long a thread has waited for a core that other threads were using. Wall time minus this wait
// is the time of the thread's own work, including waits for devices and files, however busy the
// machine.

#include <evenkeel/backends/export.hpp>

#include <pthread.h>
#include <cstdint>

namespace evenkeel {

// The wait of the thread that constructs it. Only Linux reports it; elsewhere it is unknown.
class EVENKEEL_API CoreWait {
 public:
  CoreWait() noexcept;
  CoreWait(const CoreWait&) = delete;
  CoreWait& operator=(const CoreWait&) = delete;
  ~CoreWait();

  bool is_known() const noexcept { return file_ >= 0; }

  // The total so far; never decreases; 0 if unknown. Makes system calls: some microseconds if the
  // thread has waited since the last call, less than one if it has not.
  std::int64_t nanoseconds() noexcept;

 private:
  bool may_have_waited() noexcept;

  int file_ = -1;
  pthread_t maker_ = pthread_self();
  std::int64_t switches_ = -1;  // context switches of the maker, as last counted
  std::int64_t last_ = 0;
};

}  // namespace evenkeel
