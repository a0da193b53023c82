#pragma once

// The members of a State by name, in the one order that its hash, its text and the journal have. A
// visitor takes (key, member) for a Trigger, an integer, a real number, or an array of them.

#include <evenkeel/monitor/state.hpp>

namespace evenkeel::detail {

// S is State or const State.
template <class S, class Visitor>
void for_each_member(S& state, Visitor&& visit) {
  visit("trigger", state.trigger);
  visit("floor_percent", state.floor_percent);
  visit("least_coverage", state.least_coverage);
  visit("cooldown_steps", state.cooldown_steps);
  visit("horizon", state.horizon);
  visit("expected_cost", state.expected_cost);
  visit("epoch_steps", state.epoch_steps);
  visit("looks", state.looks);
  visit("step", state.step);
  visit("generation", state.generation);
  visit("rebalances", state.rebalances);
  visit("rebalanced_at", state.rebalanced_at);
  visit("mean_load", state.mean_load);
  visit("cost", state.cost);

  auto& interval = state.interval;
  visit("interval_looks", interval.looks);
  visit("interval_steps", interval.steps);
  visit("interval_wasted", interval.wasted);
  visit("interval_slowest", interval.slowest);
  visit("interval_degradation", interval.degradation);
  visit("interval_efficiency", interval.efficiency);
  visit("interval_waste", interval.waste);
  visit("interval_peak", interval.peak);
}

}  // namespace evenkeel::detail
