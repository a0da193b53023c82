#pragma once

// Schedules of rebalances over a chain: their cost, and the cheapest one.

#include "replay/chain.hpp"

#include <cstdint>
#include <functional>
#include <vector>

namespace evenkeel::tool {

// The inputs that are fixed before any decision.
struct Setting {
  const CostChain& chain;
  int ranks;
  Ranges start;
  double rebalance;  // what one costs
};

// The steps before which a rebalance takes place. A rebalance before step s cuts by the costs of
// step s - 1; there is none before step 0.
using Schedule = std::vector<std::int64_t>;

// The sum of the slowest ranks of all steps, plus the cost of the rebalances.
double cost_of(const Setting& setting, const Schedule& schedule);

// The cheapest of all 2^(steps - 1) schedules, exactly, by dynamic programming over the step of the
// last rebalance. Among equally cheap ones, that whose last rebalance is the earliest.
struct Optimum {
  Schedule schedule;
  double total;
};
// `progress`: told the share that is done; may be empty.
Optimum optimum_of(const Setting& setting, const std::function<void(double done)>& progress = {});

// The cost of perfect balance with free rebalances.
double ideal_of(const Setting& setting);

}  // namespace evenkeel::tool
