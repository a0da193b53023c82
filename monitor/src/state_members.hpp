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
  visit("refine_rounds", state.refine_rounds);
  visit("latency_steps", state.latency_steps);
  visit("kept_from", state.kept_from);
  visit("looks", state.looks);
  visit("step", state.step);
  visit("generation", state.generation);
  visit("rebalances", state.rebalances);
  visit("rebalanced_at", state.rebalanced_at);
  visit("mean_load", state.mean_load);
  visit("paused", state.paused);

  auto& interval = state.interval;
  visit("interval_looks", interval.looks);
  visit("interval_steps", interval.steps);
  visit("interval_wasted", interval.wasted);
  visit("interval_slowest", interval.slowest);
  visit("interval_degradation", interval.degradation);
  visit("interval_efficiency", interval.efficiency);
  visit("interval_first_mean", interval.first_mean);
  visit("interval_waste", interval.waste);
  visit("interval_peak", interval.peak);
  visit("interval_mean_step", interval.mean_step);
  visit("interval_mean_waste", interval.mean_waste);
  visit("interval_step_step", interval.step_step);
  visit("interval_step_waste", interval.step_waste);
  visit("interval_waste_waste", interval.waste_waste);

  auto& ledger = state.ledger;
  visit("cost_method", ledger.cost.method);
  visit("cost_weight", ledger.cost.weight);
  visit("cost_mean", ledger.cost.cost);
  visit("cost_bytes", ledger.cost.bytes);
  visit("cost_bytes_squared", ledger.cost.bytes_squared);
  visit("cost_bytes_by_cost", ledger.cost.bytes_by_cost);
  visit("cost_last_bytes", ledger.cost.last_bytes);
  visit("ledger_worked", ledger.worked);
  visit("ledger_lost", ledger.lost);
  visit("ledger_elapsed", ledger.elapsed);
  visit("ledger_spent", ledger.spent);
  visit("ledger_gained", ledger.gained);
  visit("ledger_foreseen", ledger.foreseen);
  visit("ledger_counted", ledger.counted);
  visit("ledger_losses", ledger.losses);
  visit("ledger_promised", ledger.promised);
  visit("ledger_open", ledger.open);
  visit("ledger_before", ledger.before);
  visit("ledger_predicted", ledger.predicted);
  visit("ledger_price", ledger.price);
  visit("ledger_steps_since", ledger.steps_since);
  visit("ledger_looks_since", ledger.looks_since);
  visit("ledger_after", ledger.after);
  visit("ledger_last_net", ledger.last_net);
  visit("ledger_residual", ledger.residual);

  auto& outlook = state.outlook;
  visit("outlook_looks", outlook.looks);
  visit("outlook_since", outlook.since);
  visit("outlook_steps", outlook.steps);
  visit("outlook_wasted", outlook.wasted);
  visit("outlook_start", outlook.start);
  visit("outlook_transient", outlook.transient);
  visit("outlook_excess", outlook.excess);
  visit("outlook_lowest", outlook.lowest);
  visit("outlook_episode", outlook.episode);
  visit("outlook_episode_peak", outlook.episode_peak);
  visit("outlook_recent", outlook.recent);
  visit("outlook_recent_looks", outlook.recent_looks);
  visit("outlook_bends", outlook.bends);
  visit("outlook_bends_known", outlook.bends_known);
  visit("outlook_variance", outlook.variance);
  visit("outlook_residual", outlook.residual);
  visit("outlook_candidate", outlook.candidate);
  visit("outlook_residual_from", outlook.residual_from);
  visit("outlook_has_candidate", outlook.has_candidate);
  visit("outlook_healed", outlook.healed);
  visit("outlook_spikiness", outlook.spikiness);
  visit("outlook_rebalances", outlook.rebalances);
  visit("outlook_losses", outlook.losses);
  visit("outlook_losses_in_row", outlook.losses_in_row);
  visit("outlook_rearmed", outlook.rearmed);
  visit("outlook_open", outlook.open);
  visit("outlook_lasted", outlook.lasted);
  visit("outlook_level", outlook.level);
  visit("outlook_level_before", outlook.level_before);
  visit("outlook_demand", outlook.demand);
  visit("outlook_excess_demand", outlook.excess_demand);
  visit("outlook_for_excess", outlook.for_excess);
  visit("outlook_uncured", outlook.uncured);
  visit("outlook_refined", outlook.refined);
  visit("outlook_best", outlook.best);
  visit("outlook_best_generation", outlook.best_generation);
  visit("outlook_decided", outlook.decided);
  visit("outlook_went_back", outlook.went_back);
  visit("outlook_back_is_vain", outlook.back_is_vain);
  visit("outlook_back_off", outlook.back_off);
  visit("outlook_off_until", outlook.off_until);
  visit("outlook_calm_looks", outlook.calm_looks);
  visit("outlook_next_epoch", outlook.next_epoch);
}

}  // namespace evenkeel::detail
