#pragma once

// The cost of the rebalances since the last look. In the step after a rebalance, the application
// works on cold caches and rebuilds derived data. So the cost includes the time by which this step
// exceeds the mean of later steps.

#include "observe/epoch.hpp"
#include "observe/work_clock.hpp"

#include <optional>

namespace evenkeel {

class RebalanceCost {
 public:
  void add(double seconds, std::int64_t bytes) noexcept;
  // Drops the cost of a first distribution, which is always needed.
  void drop() noexcept { cost_ = bytes_ = 0; }

  // Call this after a rebalance, with a reading of the clock. The next step will be compared with
  // later steps.
  void begin_settling(std::int64_t reading) noexcept { settling_ = {reading}; }
  // Call this at the end of a step with `load` nanoseconds in kernels.
  void end_step(std::int64_t load, const WorkClock& clock) noexcept;
  // Compares the step after the rebalance with the later steps so far, and adds the excess to the
  // cost.
  void end_settling() noexcept;

  // Moves the costs into the sample.
  void tell(Sample& sample) noexcept;

 private:
  // The step after a rebalance, and the steps after that one. Times are in nanoseconds.
  struct SettlingStep {
    std::optional<std::int64_t> rebalanced_at;  // reading at its begin; empty after its end
    bool is_over = false;
    std::int64_t in_kernels = 0, beside = 0;  // times in kernels and outside them
    // The end of the step, the number of later steps, and their time in kernels.
    std::int64_t ended_at = 0, steps = 0, kernels_since = 0;
    std::int64_t last_ended_at = 0;  // the end of the latest step
  };

  // Nanoseconds of rebalances, bytes that they moved, and extra nanoseconds of the steps after
  // them: outside of kernels, and in kernels. Noise of kernels may make the last number negative.
  std::int64_t cost_ = 0, bytes_ = 0, rebuild_ = 0, extra_ = 0;
  SettlingStep settling_;
};

}  // namespace evenkeel
