#pragma once

// What a look adds to what is remembered since the last rebalance.

#include <evenkeel/monitor/epoch.hpp>
#include <evenkeel/monitor/state.hpp>

namespace evenkeel {

// Of totals that can be trusted, of this generation.
void observe(Interval& interval, const Totals& totals) noexcept;

// Nanoseconds that a rebalance is expected to cost.
double cost_of(const State& state) noexcept;

}  // namespace evenkeel
