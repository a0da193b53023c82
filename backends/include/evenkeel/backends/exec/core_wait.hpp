#pragma once

// How long a thread has waited for a core that others had. Wall time less this wait is what the
// thread's work took, waiting for devices and files included, whoever else uses the machine.

#include <evenkeel/backends/export.hpp>

#include <pthread.h>
#include <cstdint>

namespace evenkeel {

// Of the thread that makes it. Linux alone says how long; elsewhere the wait is unknown.
class EVENKEEL_API CoreWait {
 public:
  CoreWait() noexcept;
  CoreWait(const CoreWait&) = delete;
  CoreWait& operator=(const CoreWait&) = delete;
  ~CoreWait();

  bool is_known() const noexcept { return file_ >= 0; }

  // In all so far; never falls. 0 while unknown. Calls of the system: some microseconds where the
  // thread has waited since the last time, less than one where it has not.
  std::int64_t nanoseconds() noexcept;

 private:
  bool may_have_waited() noexcept;

  int file_ = -1;
  pthread_t maker_ = pthread_self();
  std::int64_t switches_ = -1;  // of the maker from its core, as last counted
  std::int64_t last_ = 0;
};

}  // namespace evenkeel
