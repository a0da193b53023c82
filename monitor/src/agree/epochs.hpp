#pragma once

// Counts steps, and decides when epochs begin and end. All ranks count the same steps, so an epoch
// ends at the same step on all ranks.

#include "observe/epoch.hpp"

namespace evenkeel {

class Epochs {
 public:
  explicit Epochs(std::int64_t warmup_steps)
      : measured_from_(warmup_steps + 1), began_after_(warmup_steps) {}

  std::int64_t step() const noexcept { return step_; }
  // The number of steps in the running epoch that are measured.
  std::int64_t counted() const noexcept { return counted_; }
  bool counts() const noexcept { return step_ >= measured_from_; }
  bool is_next_first() const noexcept { return step_ + 1 == measured_from_; }

  void end_step() noexcept {
    ++step_;
    if (counts()) ++counted_;
  }
  // True if the epoch of `length` steps ends with `step`. If `are_cut_short` is true, rebalances at
  // fixed steps keep ending epochs early, and only the account of the run needs looks. Epochs then
  // also end often enough that each slot of AllSteps holds one step, so the account is exact.
  bool end_with(std::int64_t step, std::int64_t length, bool are_cut_short) const noexcept {
    constexpr auto slots = static_cast<std::int64_t>(step_slots);
    return step - began_after_ >= length ||
           (are_cut_short && length <= slots && step - told_until_ >= slots);
  }

  // Begins the next epoch, after the look of the last epoch has been posted.
  void restart() noexcept {
    counted_ = 0;
    told_until_ = step_;
    began_after_ = std::max(step_, measured_from_ - 1);
  }
  // Drops the steps that this epoch has counted so far; no look will cover them.
  void abandon() noexcept { counted_ = 0; }
  // Call this after objects have moved. The next step works on cold caches, so it is not measured.
  void restart_after_move() noexcept {
    constexpr std::int64_t settling_steps = 1;
    counted_ = 0;
    measured_from_ = std::max(measured_from_, step_ + settling_steps + 1);
    began_after_ = measured_from_ - 1;
  }
  // Counts on from `step`, at which an earlier run has ended. Until now, steps were counted from
  // `from`.
  void go_on_from(std::int64_t step, std::int64_t from) noexcept {
    step_ = step;
    measured_from_ += step - from;
    began_after_ += step - from;
    told_until_ += step - from;
  }

 private:
  std::int64_t step_ = 0;
  std::int64_t measured_from_;   // the first step that counts
  std::int64_t began_after_;     // the step before the epoch
  std::int64_t told_until_ = 0;  // the last step that a look covers
  std::int64_t counted_ = 0;
};

}  // namespace evenkeel
