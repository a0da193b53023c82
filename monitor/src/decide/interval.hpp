#pragma once

// What a look adds to what is remembered since the last rebalance.

#include "agree/epoch.hpp"
#include "decide/state.hpp"

namespace evenkeel {

// Adds totals, which must be fit and of this generation.
void observe(Interval& interval, const Totals& totals) noexcept;

// Nanoseconds that a rebalance is expected to cost.
double cost_of(const State& state) noexcept;

}  // namespace evenkeel
