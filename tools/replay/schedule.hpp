#pragma once

// Schedules of rebalances over a chain: what they cost, and the cheapest there is.

#include "replay/chain.hpp"

#include <cstdint>
#include <vector>

namespace evenkeel::tool {

// What is fixed before anything is decided.
struct Setting {
  const CostChain& chain;
  int ranks;
  Ranges start;
  double rebalance;  // what one costs
};

// A rebalance before step s cuts by what step s - 1 has cost; there is none before step 0.
using Schedule = std::vector<std::int64_t>;

// Slowest ranks of all steps, and the rebalances.
double cost_of(const Setting& setting, const Schedule& schedule);

// Exact: the cheapest of all 2^(steps - 1), by dynamic programming over the step of the last
// rebalance. Where several cost the same, the one whose last rebalance is the earliest.
struct Optimum {
  Schedule schedule;
  double total;
};
Optimum optimum_of(const Setting& setting);

// What perfect balance would cost, for nothing.
double ideal_of(const Setting& setting);

}  // namespace evenkeel::tool
