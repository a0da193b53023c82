#pragma once

// The figures of monitor/metrics.hpp, from reduced totals.

#include "observe/epoch.hpp"

#include <evenkeel/monitor/metrics.hpp>

namespace evenkeel {

// The trend of the imbalance time over the looks since the last rebalance.
struct Trend {
  double slope = 0;    // change of the nanoseconds per step, in one step
  double scatter = 0;  // standard deviation from the line, nanoseconds per step
};

EVENKEEL_API Figures figures_of(const RankTally& tally, std::int64_t ranks,
                                std::int64_t steps) noexcept;

// `names` has the names of totals.kernels, or is empty if ranks do not agree on them.
EVENKEEL_API Metrics metrics_of(const Totals& totals, const Trend& trend,
                                std::span<const std::string> names);

}  // namespace evenkeel
