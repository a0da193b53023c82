#pragma once

// The load of one rank in all steps since the last look was posted, measured or not, including
// warm-up, settling and latency. The account of a run is made of it.
//
// Ranks wait for each other in every step, so what a run has waited for is the sum over steps of
// the greatest load. A reduction of fixed size carries that in slots of consecutive steps: one step
// each while there is room, then two, four, eight... All ranks count steps alike and restart alike,
// so slot k covers the same steps on each.

#include "agree/epoch.hpp"

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <limits>

namespace evenkeel {

class AllSteps {
 public:
  static constexpr std::size_t slots = step_slots;

  // Adds a step of which this many nanoseconds were in kernels. A negative number counts as 0; a
  // sum that would overflow stays at the greatest number.
  void add(std::int64_t load, std::int64_t duration = 0) noexcept {
    duration_ = plus(duration_, std::max<std::int64_t>(0, duration));
    if (steps_ == steps_per_slot_ * static_cast<std::int64_t>(slots)) halve();
    std::int64_t& slot = sums_[static_cast<std::size_t>(steps_ / steps_per_slot_)];
    slot = plus(slot, std::max<std::int64_t>(0, load));
    ++steps_;
  }

  // Leaves out the nanoseconds in which the rank waited for a core. Nobody knows in which steps
  // that was: all lose the same share.
  void leave_out(std::int64_t waited) noexcept {
    if (waited <= 0 || duration_ <= 0) return;
    const double share =
        std::min(1.0, static_cast<double>(waited) / static_cast<double>(duration_));
    for (std::int64_t& slot : sums_)
      slot = share < 1 ? slot - static_cast<std::int64_t>(share * static_cast<double>(slot)) : 0;
  }

  // The look is posted.
  void restart() noexcept { *this = {}; }

  std::int64_t steps() const noexcept { return steps_; }
  std::int64_t sum() const noexcept {
    std::int64_t sum = 0;
    for (const std::int64_t slot : sums_) sum = plus(sum, slot);
    return sum;
  }

  // Slot k has the steps from k * steps_per_slot() on; the last slot in use may have fewer yet,
  // and the slots after it are 0.
  std::int64_t steps_per_slot() const noexcept { return steps_per_slot_; }
  const StepSlots& sums() const noexcept { return sums_; }

 private:
  static std::int64_t plus(std::int64_t a, std::int64_t b) noexcept {
    return a > std::numeric_limits<std::int64_t>::max() - b
               ? std::numeric_limits<std::int64_t>::max()
               : a + b;
  }

  // Two slots become one.
  void halve() noexcept {
    for (std::size_t k = 0; k < slots / 2; ++k) sums_[k] = plus(sums_[2 * k], sums_[2 * k + 1]);
    std::fill(sums_.begin() + slots / 2, sums_.end(), 0);
    steps_per_slot_ *= 2;
  }

  StepSlots sums_{};
  std::int64_t steps_ = 0, steps_per_slot_ = 1, duration_ = 0;
};

}  // namespace evenkeel
