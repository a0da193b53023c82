#pragma once

// The counter that a core keeps of its cycles, as a clock: read in half the time that the system's
// clock takes. It says ticks; how long one lasts is learned from the system's clock. Plain C++ for
// x86-64 and aarch64; elsewhere, and where the counter is not to be trusted, wall_nanoseconds
// stands in and a tick is a nanosecond.

#include <evenkeel/backends/exec/stopwatch.hpp>
#include <evenkeel/backends/export.hpp>

#include <cstdint>
#include <string_view>

namespace evenkeel {

// Whether ticks pass at one rate, on all cores alike, whatever the cores do to save power.
EVENKEEL_API bool cycle_counter_is_trusted();

namespace detail {
// What that is judged by, on x86-64. The system compares the counters of all cores, so its own
// choice outvotes what the processor claims; "" where the system says nothing.
EVENKEEL_API bool is_trusted(std::string_view clock_of_the_system, bool claimed_invariant) noexcept;
}  // namespace detail

// Ticks since some fixed moment. Not ordered with the instructions around it, which costs less than
// it could blur: some dozens of cycles.
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

  // Now, as closely as the clocks can be read together: to some ten nanoseconds.
  EVENKEEL_API static TickMoment now() noexcept;
};

// How long a tick lasts, from moments that are ever further apart.
class EVENKEEL_API TickRate {
 public:
  TickRate() = default;  // a tick is a nanosecond
  // Between two moments. Where they do not differ, a tick stays a nanosecond.
  TickRate(const TickMoment& first, const TickMoment& second) noexcept;

  // Of the cycle counter of this machine, to about a thousandth; waits for 50 microseconds.
  static TickRate measured() noexcept;

  // Whether another moment would say it better: the time since the first has doubled, or ten
  // seconds have passed since the last, which follows a system clock that is being adjusted.
  bool is_due(std::int64_t ticks) const noexcept { return learns_ && ticks >= due_; }
  // False: the rate is far from the one known, since one of the clocks has jumped (the machine
  // slept, say); counting begins anew from here.
  bool refine(const TickMoment& now) noexcept;

  double nanoseconds_per_tick() const noexcept { return rate_; }
  // Rounded towards 0, so that parts do not exceed the whole.
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
