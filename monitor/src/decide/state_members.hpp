#pragma once

// The members of a State by name, in the one order that its hash, its text and the journal have. A
// visitor takes (key, member) for a Trigger, an integer, a real number, or an array of them.

#include "decide/state.hpp"

#include <concepts>
#include <type_traits>

namespace evenkeel::detail {

template <class S, class Visitor>
requires std::same_as<std::remove_const_t<S>, State>
void for_each_member(S& state, Visitor&& visit) {
  visit("trigger", state.trigger);
  visit("floor_percent", state.floor_percent);
  visit("least_coverage", state.least_coverage);
  visit("cooldown_steps", state.cooldown_steps);
  visit("horizon", state.horizon);
  visit("expected_cost", state.expected_cost);
  visit("epoch_steps", state.epoch_steps);
  visit("latency_steps", state.latency_steps);
  visit("shift_rounds", state.shift_rounds);
  visit("shift_penalty", state.shift_penalty);
  visit("kept_from", state.kept_from);
  visit("began_at", state.began_at);
  visit("looks", state.looks);
  visit("step", state.step);
  visit("generation", state.generation);
  visit("rebalances", state.rebalances);
  visit("unchanged", state.unchanged);
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
  visit("ledger_steps", ledger.steps);
  visit("ledger_measured_steps", ledger.measured_steps);
  visit("ledger_worked", ledger.worked);
  visit("ledger_slowest", ledger.slowest);
  visit("ledger_level", ledger.level);
  visit("ledger_elapsed", ledger.elapsed);
  visit("ledger_covered", ledger.covered);
  visit("ledger_spent", ledger.spent);
  visit("ledger_rebuilt", ledger.rebuilt);
  visit("ledger_never_sum", ledger.never.sum);
  visit("ledger_never_level", ledger.never.level);
  visit("ledger_never_pending", ledger.never.pending);
  visit("ledger_never_steps", ledger.never_steps);
  visit("ledger_gained", ledger.gained);
  visit("ledger_foreseen", ledger.foreseen);
  visit("ledger_counted", ledger.counted);
  visit("ledger_losses", ledger.losses);
  visit("ledger_promised", ledger.promised);
  visit("ledger_open", ledger.open);
  visit("ledger_predicted", ledger.predicted);
  visit("ledger_price", ledger.price);
  visit("ledger_replaced_sum", ledger.replaced.sum);
  visit("ledger_replaced_level", ledger.replaced.level);
  visit("ledger_replaced_pending", ledger.replaced.pending);
  visit("ledger_since", ledger.since);
  visit("ledger_worked_since", ledger.worked_since);
  visit("ledger_looks_since", ledger.looks_since);
  visit("ledger_last_net", ledger.last_net);
  visit("ledger_misses", ledger.misses);
  visit("ledger_foresights", ledger.foresights);
  visit("ledger_squares", ledger.squares);

  auto& outlook = state.outlook;
  visit("outlook_looks", outlook.looks);
  visit("outlook_steps", outlook.steps);
  visit("outlook_curable", outlook.curable);
  visit("outlook_curable_looks", outlook.curable_looks);
  visit("outlook_lost", outlook.lost);
  visit("outlook_behind_first", outlook.behind_first);
  visit("outlook_awaits_judgement", outlook.awaits_judgement);
  visit("outlook_measured", outlook.measured);
  visit("outlook_bends", outlook.bends);
  visit("outlook_bends_known", outlook.bends_known);
  visit("outlook_variance", outlook.variance);
  visit("outlook_variance_looks", outlook.variance_looks);
  visit("outlook_fresh", outlook.fresh);
  visit("outlook_left", outlook.left);
  visit("outlook_ageing_age", outlook.ageing.age);
  visit("outlook_ageing_level", outlook.ageing.level);
  visit("outlook_ageing_known", outlook.ageing.known);
  visit("outlook_first_above", outlook.first_above);
  visit("outlook_first_looks", outlook.first_looks);
  visit("outlook_misfit", outlook.misfit);
  visit("outlook_misfit_looks", outlook.misfit_looks);
  visit("outlook_shortfall", outlook.shortfall);
  visit("outlook_last_shortfall", outlook.last_shortfall);
  visit("outlook_shortfall_ratio", outlook.shortfall_ratio);
  visit("outlook_judged_at", outlook.judged_at);
  visit("outlook_patience", outlook.patience);
  visit("outlook_surveys", outlook.surveys);
  visit("outlook_survey_cost", outlook.survey_cost);
  visit("outlook_survey_credit", outlook.survey_credit);
  visit("outlook_first_generation", outlook.first_generation);
  visit("outlook_previous_generation", outlook.previous_generation);
  visit("outlook_wanted_generation", outlook.wanted_generation);
  visit("outlook_vain", outlook.vain);
  visit("outlook_left_from", outlook.left_from);
  visit("outlook_returned_from", outlook.returned_from);
  visit("outlook_is_return_vain", outlook.is_return_vain);
  visit("outlook_calm_looks", outlook.calm_looks);
  visit("outlook_next_epoch", outlook.next_epoch);

  auto& refinement = state.refinement;
  visit("refinement_cut_level", refinement.cut_level);
  visit("refinement_rounds", refinement.rounds);
  visit("refinement_penalty", refinement.penalty);
  visit("refinement_best", refinement.best);
  visit("refinement_best_generation", refinement.best_generation);
  visit("refinement_is_over", refinement.is_over);
  visit("refinement_looks", refinement.looks);
  visit("refinement_usual", refinement.usual);
  visit("refinement_strange", refinement.strange);
  visit("refinement_before", refinement.before);
  visit("refinement_wanted", refinement.wanted);
}

}  // namespace evenkeel::detail
