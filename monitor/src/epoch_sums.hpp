#pragma once

// What one rank has measured in the running epoch, and since the last rebalance.

#include <evenkeel/monitor/clock.hpp>
#include <evenkeel/monitor/epoch.hpp>

#include <cstdint>
#include <span>
#include <vector>

namespace evenkeel {

class EpochSums {
 public:
  // The epoch so far: steps, load, duration, variance, kernels and fit. `unit` is that of the
  // variance, see Totals.
  Sample sample(std::int64_t unit) const;
  void add(const Clock::Step& step, std::span<const std::int64_t> kernels);

  // So many nanoseconds of the running epoch were no work: waiting for a core. Everything gives the
  // same share of them.
  void leave_out(std::int64_t waited);

  // The next epoch begins.
  void restart();
  // ... after a rebalance.
  void restart_all();

  std::int64_t steps() const noexcept { return static_cast<std::int64_t>(loads_.size()); }
  // Nanoseconds per step since the last rebalance; 0 while nothing is measured.
  std::int64_t mean_load() const noexcept {
    return steps_since_ > 0 ? load_since_ / steps_since_ : 0;
  }

 private:
  std::vector<std::int64_t> loads_;  // of each step
  std::vector<std::int64_t> kernels_;
  std::int64_t duration_ = 0;
  bool fit_ = true;
  std::int64_t load_since_ = 0, steps_since_ = 0;
};

}  // namespace evenkeel
