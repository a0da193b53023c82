#pragma once

// The figures of monitor/metrics.hpp, from what ranks have reduced.

#include "agree/epoch.hpp"
#include "decide/state.hpp"

#include <evenkeel/backends/export.hpp>
#include <evenkeel/monitor/metrics.hpp>

#include <cstdint>
#include <span>
#include <string>

namespace evenkeel {

EVENKEEL_API Figures figures_of(const Tally& tally, std::int64_t ranks,
                                std::int64_t steps) noexcept;

// `names`: of totals.kernels; empty where ranks do not agree on them.
EVENKEEL_API Metrics metrics_of(const Totals& totals, const Interval& interval,
                                std::span<const std::string> names);

}  // namespace evenkeel
