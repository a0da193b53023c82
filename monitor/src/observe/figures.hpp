#pragma once

// The figures of monitor/metrics.hpp, from reduced totals.

#include "observe/epoch.hpp"

#include <evenkeel/monitor/metrics.hpp>

namespace evenkeel {

// The trend of the imbalance time over the looks since the last rebalance.
struct Trend {
  double slope = 0;    // nanoseconds per step and step
  double scatter = 0;  // standard deviation about it, nanoseconds per step
};

EVENKEEL_API Figures figures_of(const RankTally& tally, std::int64_t ranks,
                                std::int64_t steps) noexcept;

// `names` are those of totals.kernels, and empty if ranks do not agree on them.
EVENKEEL_API Metrics metrics_of(const Totals& totals, const Trend& trend,
                                std::span<const std::string> names);

}  // namespace evenkeel
