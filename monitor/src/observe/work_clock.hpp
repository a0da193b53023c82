#pragma once

// The clock of a rank. It times kernels, rebalances and surveys in the same way. If the rank waits
// for a core that runs other programs, this time is not counted as work.

#include <evenkeel/backends/exec/stopwatch.hpp>
#include "observe/clock.hpp"

namespace evenkeel {

class WorkClock {
 public:
  // `own` is the application's clock, or empty. If it is empty and `kind` is automatic, uses the
  // clock that is fastest to read or, if ranks share cores, CPU time.
  WorkClock(ClockKind kind, const OwnClock& own, bool ranks_share_cores);

  Clock& kernels() const noexcept { return *kernels_; }
  // A reading in nanoseconds that includes waiting for a core.
  std::int64_t reading() const noexcept { return now_(); }
  // A reading in nanoseconds, of a clock that stops while this rank waits for a core.
  std::int64_t now() noexcept {
    return leaves_out_waiting_ ? now_() - core_wait_.nanoseconds() : now_();
  }

  // True if the clock is the CPU time of threads. Then a rank that waits in MPI may count as
  // working.
  bool is_cpu_time() const noexcept { return is_cpu_time_; }
  // Nanoseconds of waiting for a core so far; 0 if this clock does not leave them out.
  std::int64_t waited() noexcept { return leaves_out_waiting_ ? core_wait_.nanoseconds() : 0; }

  // Call this before the first step of an epoch.
  void begin_epoch() noexcept { waited_before_ = core_wait_.nanoseconds(); }
  // Nanoseconds of waiting for a core in the running epoch, and in all steps since the last call.
  // The system does not report when the rank waited, so all kernels and steps lose the same share.
  struct Waited {
    std::int64_t in_epoch = 0, in_all_steps = 0;
  };
  Waited take_waited() noexcept;

 private:
  bool leaves_out_waiting_, is_cpu_time_;
  OwnClock now_;
  std::shared_ptr<Clock> kernels_;
  CoreWait core_wait_;
  std::int64_t waited_before_ = 0, waited_until_told_ = 0;
};

}  // namespace evenkeel
