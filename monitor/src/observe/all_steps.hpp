#pragma once

// The load of one rank in all steps since the last look was posted. This includes steps that no
// epoch measures: the warm-up, the step after a rebalance, and the latency of a look. The account
// of a run is based on these loads.
//
// Ranks wait for each other in every step, so a run takes the sum over steps of the greatest load.
// A reduction has a fixed size, so loads are summed in slots of consecutive steps. A slot holds one
// step as long as there is room, then two steps, then four, and so on. All ranks count the same
// steps and restart at the same step, so slot k covers the same steps on each rank.

#include "observe/epoch.hpp"

namespace evenkeel {

class AllSteps {
 public:
  static constexpr std::size_t slots = step_slots;

  // Adds a step of `duration` nanoseconds, `load` of them in kernels. A negative number counts as
  // 0. A sum that would overflow stays at the greatest number.
  void add(std::int64_t load, std::int64_t duration = 0) noexcept {
    duration_ = plus(duration_, std::max<std::int64_t>(0, duration));
    if (steps_ == steps_per_slot_ * static_cast<std::int64_t>(slots)) halve();
    std::int64_t& slot = sums_[static_cast<std::size_t>(steps_ / steps_per_slot_)];
    slot = plus(slot, std::max<std::int64_t>(0, load));
    ++steps_;
  }

  // Subtracts `waited` nanoseconds in which the rank waited for a core. The steps in which it
  // waited are not known, so all steps lose the same share.
  void leave_out(std::int64_t waited) noexcept {
    if (waited <= 0 || duration_ <= 0) return;
    const double share =
        std::min(1.0, static_cast<double>(waited) / static_cast<double>(duration_));
    for (std::int64_t& slot : sums_)
      slot = share < 1 ? slot - static_cast<std::int64_t>(share * static_cast<double>(slot)) : 0;
  }

  // Call this if objects have moved after the last step. Remembers up to 64 moves; if there are
  // more, remembers the first 63 and the latest one.
  void note_move() noexcept { moved_after_[std::min(moves_++, most_moves - 1)] = steps_; }

  // The load in each slot under other domains, if this rank's mean load per step would be
  // `per_step` under these. The load under these domains is assumed to vary from step to step in
  // proportion to the measured load. The variation is measured from the mean of the steps between
  // the same two moves, since a move changes the load, too.
  StepSlots spread(double per_step) const;

  // Call this when the look is posted.
  void restart() noexcept { *this = {}; }

  std::int64_t steps() const noexcept { return steps_; }
  std::int64_t sum() const noexcept {
    std::int64_t sum = 0;
    for (const std::int64_t slot : sums_) sum = plus(sum, slot);
    return sum;
  }

  // Slot k begins with step k * steps_per_slot(). The last slot in use may have fewer steps than
  // the others, and the slots after it are 0.
  std::int64_t steps_per_slot() const noexcept { return steps_per_slot_; }
  const StepSlots& sums() const noexcept { return sums_; }

 private:
  static std::int64_t plus(std::int64_t a, std::int64_t b) noexcept {
    return a > std::numeric_limits<std::int64_t>::max() - b
               ? std::numeric_limits<std::int64_t>::max()
               : a + b;
  }

  std::int64_t begin_of(std::size_t slot) const noexcept {
    return static_cast<std::int64_t>(slot) * steps_per_slot_;
  }
  // The number of moves before or at the first step of the slot.
  std::ptrdiff_t moves_before(std::size_t slot) const noexcept {
    const auto end =
        moved_after_.begin() + static_cast<std::ptrdiff_t>(std::min(moves_, most_moves));
    return std::upper_bound(moved_after_.begin(), end, begin_of(slot)) - moved_after_.begin();
  }

  // Merges pairs of slots.
  void halve() noexcept {
    for (std::size_t k = 0; k < slots / 2; ++k) sums_[k] = plus(sums_[2 * k], sums_[2 * k + 1]);
    std::fill(sums_.begin() + slots / 2, sums_.end(), 0);
    steps_per_slot_ *= 2;
  }

  static constexpr std::size_t most_moves = 64;

  StepSlots sums_{};
  std::int64_t steps_ = 0, steps_per_slot_ = 1, duration_ = 0;
  std::size_t moves_ = 0;
  std::array<std::int64_t, most_moves> moved_after_{};  // number of steps before each move
};

inline StepSlots AllSteps::spread(double per_step) const {
  const auto steps_in = [&](std::size_t slot) {
    return static_cast<double>(
        std::clamp<std::int64_t>(steps_ - begin_of(slot), 0, steps_per_slot_));
  };
  StepSlots spread{};
  for (std::size_t first = 0, end = 0; first < slots; first = end) {
    double load = 0, steps = 0;
    for (; end < slots && moves_before(end) == moves_before(first); ++end) {
      load += static_cast<double>(sums_[end]);
      steps += steps_in(end);
    }
    for (std::size_t slot = first; slot < end; ++slot) {
      const double usual = steps_in(slot);
      const double share = load > 0 ? static_cast<double>(sums_[slot]) * steps / load : usual;
      spread[slot] = whole(per_step * share);
    }
  }
  return spread;
}

}  // namespace evenkeel
