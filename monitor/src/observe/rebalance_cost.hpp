#pragma once

// The cost of the rebalances since the last look. The step after a rebalance works on cold caches,
// and the application rebuilds derived data in it: the time by which this step exceeds later ones
// belongs to the cost.

#include "observe/epoch.hpp"
#include "observe/work_clock.hpp"

#include <optional>

namespace evenkeel {

class RebalanceCost {
 public:
  void add(double seconds, std::int64_t bytes) noexcept;
  // Drops the cost of a first distribution, which is always needed.
  void drop() noexcept { cost_ = bytes_ = 0; }

  // The next step is the one after a rebalance.
  void begin_settling(std::int64_t reading) noexcept { settling_ = {reading}; }
  // A step with this many nanoseconds in kernels has ended.
  void end_step(std::int64_t load, const WorkClock& clock) noexcept;
  // Ends the comparison with later steps, and enters the result.
  void end_settling() noexcept;

  // Enters the costs into the sample, and forgets them.
  void tell(Sample& sample) noexcept;

 private:
  // Nanoseconds of the step after a rebalance, in kernels and outside them.
  struct SettlingStep {
    std::optional<std::int64_t> rebalanced_at;  // set until that step ends
    bool is_over = false;
    std::int64_t in_kernels = 0, beside = 0;
    std::int64_t ended_at = 0, steps = 0, kernels_since = 0;
    std::int64_t last_ended_at = 0;  // of the steps since
  };

  // Nanoseconds, bytes, and the application's nanoseconds outside of kernels and in them.
  std::int64_t cost_ = 0, bytes_ = 0, rebuild_ = 0, extra_ = 0;
  SettlingStep settling_;
};

}  // namespace evenkeel
