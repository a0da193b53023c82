#pragma once

// The cycle counter of a core, used as a clock: reading it takes half as long as reading the
// system's clock. It counts ticks, whose length is measured by the system's clock. It exists on
// x86-64 and aarch64. On other processors cycle_ticks() is wall_nanoseconds(), and a tick is a
// nanosecond. If cycle_counter_is_trusted() returns false, callers must use another clock.

#include <evenkeel/backends/exec/stopwatch.hpp>

#include <string_view>

namespace evenkeel {

// True if the counter has one constant rate, the same on all cores, even if cores save power.
EVENKEEL_API bool cycle_counter_is_trusted();

namespace detail {
// The rule for x86-64. The system compares the counters of all cores, so its choice of a clock
// overrides the claim of the processor. Pass "" if the system's clock is unknown.
EVENKEEL_API bool is_trusted(std::string_view clock_of_the_system, bool claimed_invariant) noexcept;
}  // namespace detail

// Ticks since some fixed moment. The processor may reorder the reading with the instructions around
// it. This is cheaper than a fence, and adds an error of a few dozen cycles.
inline std::int64_t cycle_ticks() noexcept {
#if defined(__x86_64__) && (defined(__GNUC__) || defined(__clang__))
  return static_cast<std::int64_t>(__builtin_ia32_rdtsc());
#elif defined(__aarch64__) && (defined(__GNUC__) || defined(__clang__))
  std::int64_t ticks;
  asm volatile("mrs %0, cntvct_el0" : "=r"(ticks));
  return ticks;
#else
  return wall_nanoseconds();
#endif
}

// Two clocks read at one moment.
struct TickMoment {
  std::int64_t ticks = 0, nanoseconds = 0;

  // Reads both clocks within a few tens of nanoseconds of each other.
  EVENKEEL_API static TickMoment now() noexcept;
};

// The length of a tick, measured between moments that are further and further apart.
class EVENKEEL_API TickRate {
 public:
  TickRate() = default;  // a tick is a nanosecond
  // Takes the rate from the time between two moments. If the moments are equal, a tick is a
  // nanosecond.
  TickRate(const TickMoment& first, const TickMoment& second) noexcept;

  // Measures this machine's cycle counter to about a thousandth; waits for 50 microseconds.
  static TickRate measured() noexcept;

  // True if it is time for refine(): the time since the first moment has doubled, or ten seconds
  // have passed since the last moment. The ten seconds are for a system clock that is being
  // adjusted. After a jump, one second must have passed.
  bool is_due(std::int64_t ticks) const noexcept { return learns_ && ticks >= due_; }
  // Measures the rate again, up to `now`. If the new rate is far from the known one, a clock has
  // jumped, for example because the machine slept; then returns false and measures from `now` on.
  bool refine(const TickMoment& now) noexcept;

  double nanoseconds_per_tick() const noexcept { return rate_; }
  // The result is rounded towards 0, so a sum of parts does not exceed the whole.
  std::int64_t nanoseconds(std::int64_t ticks) const noexcept {
    return learns_ ? static_cast<std::int64_t>(static_cast<double>(ticks) * rate_) : ticks;
  }
  std::int64_t ticks(std::int64_t nanoseconds) const noexcept;  // the nearest

 private:
  void set_due(std::int64_t ticks) noexcept;

  bool learns_ = false;
  double rate_ = 1;
  TickMoment first_;
  std::int64_t due_ = 0;
};

}  // namespace evenkeel
