#include "observe/work_clock.hpp"

namespace evenkeel {

namespace {

ClockKind resolved(ClockKind kind, bool ranks_share_cores) {
  return kind == ClockKind::automatic && ranks_share_cores ? ClockKind::thread_cpu : kind;
}

std::shared_ptr<Clock> clock_of(ClockKind kind, const OwnClock& own) {
  if (own) return Clock::make(own);
  switch (kind) {
    case ClockKind::automatic: return Clock::by_cycles();
    case ClockKind::wall: return Clock::make(&wall_nanoseconds);
    case ClockKind::thread_cpu: return Clock::make(&thread_cpu_nanoseconds);
  }
  return Clock::by_cycles();
}

OwnClock time_of(ClockKind kind, const OwnClock& own) {
  if (own) return own;
  return kind == ClockKind::thread_cpu ? &thread_cpu_nanoseconds : &wall_nanoseconds;
}

}  // namespace

WorkClock::WorkClock(ClockKind kind, const OwnClock& own, bool ranks_share_cores)
    : leaves_out_waiting_(!own && kind == ClockKind::automatic && !ranks_share_cores),
      is_cpu_time_(!own && resolved(kind, ranks_share_cores) == ClockKind::thread_cpu),
      now_(time_of(resolved(kind, ranks_share_cores), own)),
      kernels_(clock_of(resolved(kind, ranks_share_cores), own)),
      waited_before_(core_wait_.nanoseconds()),
      waited_until_told_(waited_before_) {}

WorkClock::Waited WorkClock::take_waited() noexcept {
  if (!leaves_out_waiting_) return {};
  const std::int64_t now = core_wait_.nanoseconds();
  return {now - std::exchange(waited_before_, now), now - std::exchange(waited_until_told_, now)};
}

}  // namespace evenkeel
