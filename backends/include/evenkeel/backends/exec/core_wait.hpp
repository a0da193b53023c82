#pragma once

// How long a thread has waited for a core that others had. Wall time less this wait is what the
// thread's work took, waiting for devices and files included, whoever else uses the machine.

#include <evenkeel/backends/export.hpp>

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

  // In all so far; never falls. 0 while unknown. A call of the system: some microseconds.
  std::int64_t nanoseconds() noexcept;

 private:
  int file_ = -1;
  std::int64_t last_ = 0;
};

}  // namespace evenkeel
