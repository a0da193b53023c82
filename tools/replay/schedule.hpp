#pragma once

// Schedules of rebalances over a chain: their cost, and the cheapest one.

#include "replay/chain.hpp"
#include "replay/options.hpp"

#include <cstddef>
#include <functional>

namespace evenkeel::tool {

// The inputs that are fixed before any decision.
struct Setting {
  const CostChain& chain;
  int ranks;
  Ranges start;
  double rebalance;  // the cost of a rebalance
};

// The steps before which a rebalance takes place. A rebalance before step s cuts by the costs of
// step s - 1. No rebalance takes place before step 0.
using Schedule = std::vector<std::int64_t>;

// The sum of the slowest ranks of all steps, plus the cost of the rebalances.
double cost_of(const Setting& setting, const Schedule& schedule);

// The cheapest of all 2^(steps - 1) schedules. Dynamic programming over the step of the last
// rebalance finds it exactly. Among equally cheap schedules, it is the one whose last rebalance is
// the earliest.
struct Optimum {
  Schedule schedule;
  double total;
};
// `progress` receives the share that is done; it may be empty.
Optimum optimum_of(const Setting& setting, const std::function<void(double done)>& progress = {});

// The count, and the first `most` steps, such as "12, before steps 3, 40, ..". `what` is the text
// before the steps, in the singular.
std::string text_of(const Schedule& schedule, const char* what, std::size_t most);

// The cost of perfect balance with free rebalances.
double ideal_of(const Setting& setting);

// Runs a chain under a trigger. The functions that decide in an application also decide here, on
// the same numbers.
Schedule run(const Setting& setting, const ChainReplayOptions& options);

}  // namespace evenkeel::tool
