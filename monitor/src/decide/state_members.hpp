#pragma once

// Visits the members of a DecisionState by name, in the order of its hash, its text and the
// journal. A visitor is called with (key, member); a member is a Trigger, an integer, a real
// number, or an array of numbers.

#include "decide/state.hpp"

#include <concepts>
#include <type_traits>

namespace evenkeel::detail {

template <class T, class Of>
concept Some = std::same_as<std::remove_const_t<T>, Of>;

// --- Members that decisions read -----------------------------------------------------------------

template <Some<LookInterval> I, class Visitor>
void visit_members(I& interval, Visitor&& visit) {
  visit("interval_looks", interval.looks);
  visit("interval_steps", interval.steps);
  visit("interval_wasted", interval.wasted);
  visit("interval_slowest", interval.slowest);
  visit("interval_of_rule", interval.of_rule);
  visit("interval_waste", interval.waste);
  visit("interval_peak", interval.peak);
}

template <Some<Ledger> L, class Visitor>
void visit_members(L& ledger, Visitor&& visit) {
  visit("cost_method", ledger.cost.method);
  visit("cost_weight", ledger.cost.weight);
  visit("cost_mean", ledger.cost.cost);
  visit("cost_bytes", ledger.cost.bytes);
  visit("cost_bytes_bytes", ledger.cost.bytes_bytes);
  visit("cost_bytes_cost", ledger.cost.bytes_cost);
  visit("cost_first", ledger.cost.first_cost);
  visit("cost_first_bytes", ledger.cost.first_bytes);
  visit("cost_ahead", ledger.cost.ahead);
  visit("cost_asked", ledger.cost.asked);
  visit("cost_moved", ledger.cost.moved);
  visit("cost_predicted", ledger.cost.predicted);
  visit("ledger_slowest", ledger.slowest);
  visit("ledger_spent", ledger.spent);
  visit("ledger_rebuilt", ledger.rebuilt);
  visit("ledger_never_sum", ledger.never.sum);
  visit("ledger_never_level", ledger.never.level);
  visit("ledger_never_pending", ledger.never.pending);
}

template <Some<Outlook> O, class Visitor>
void visit_members(O& outlook, Visitor&& visit) {
  visit("outlook_curable", outlook.curable.latest);
  visit("outlook_lost", outlook.curable.lost);
  visit("outlook_measured", outlook.measured);
  visit("outlook_fresh", outlook.fresh);
  visit("outlook_left", outlook.left);
  visit("outlook_ageing_age", outlook.ageing.age);
  visit("outlook_ageing_level", outlook.ageing.level);
  visit("outlook_ageing_known", outlook.ageing.known);
  visit("outlook_variance", outlook.scatter.variance);
  visit("outlook_bends", outlook.scatter.bends);
  visit("outlook_first_generation", outlook.first.generation);
  visit("outlook_first_above", outlook.first.above);
  visit("outlook_first_calm_level", outlook.first.calm_level);
  visit("outlook_behind_first", outlook.first.behind);
  visit("outlook_lengths", outlook.imbalances.lengths);
  visit("outlook_calm_generation", outlook.imbalances.generation);
  visit("outlook_calm_level", outlook.imbalances.calm_level);
  visit("outlook_calm_work", outlook.imbalances.calm_work);
  visit("outlook_imbalance_began", outlook.imbalances.began);
  visit("outlook_imbalance_peak", outlook.imbalances.peak);
  visit("outlook_imbalance_work", outlook.imbalances.work);
  visit("outlook_shortfall", outlook.shortfall.expected);
  visit("outlook_weighed", outlook.shortfall.weighed);
  visit("outlook_last_shortfall", outlook.shortfall.last);
  visit("outlook_survey_cost", outlook.surveys.cost);
  visit("outlook_survey_credit", outlook.surveys.credit);
  visit("outlook_wanted_generation", outlook.wanted_generation);
  visit("outlook_left_from", outlook.left_from);
  visit("outlook_is_return_vain", outlook.is_return_vain);
  visit("outlook_calm_looks", outlook.calm_looks);
  visit("outlook_next_epoch", outlook.next_epoch);
}

template <Some<ShiftCourse> C, class Visitor>
void visit_members(C& refinement, Visitor&& visit) {
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

// --- Members that are only reported --------------------------------------------------------------

template <Some<WasteTrend> T, class Visitor>
void visit_members(T& trend, Visitor&& visit) {
  visit("interval_mean_step", trend.mean_step);
  visit("interval_mean_waste", trend.mean_waste);
  visit("interval_step_step", trend.step_step);
  visit("interval_step_waste", trend.step_waste);
  visit("interval_waste_waste", trend.waste_waste);
}

template <Some<RunTotals> R, class Visitor>
void visit_members(R& run, Visitor&& visit) {
  visit("ledger_steps", run.steps);
  visit("ledger_measured_steps", run.measured_steps);
  visit("ledger_worked", run.worked);
  visit("ledger_level", run.level);
  visit("ledger_elapsed", run.elapsed);
  visit("ledger_covered", run.covered);
  visit("ledger_extra", run.extra);
  visit("ledger_never_steps", run.never_steps);
  visit("ledger_doubtful", run.doubtful);
  visit("ledger_uneven", run.uneven);
}

template <Some<Gains> G, class Visitor>
void visit_members(G& gains, Visitor&& visit) {
  visit("ledger_gained", gains.gained);
  visit("ledger_foreseen", gains.foreseen);
  visit("ledger_counted", gains.counted);
  visit("ledger_losses", gains.losses);
  visit("unchanged", gains.unchanged);
  visit("ledger_promised", gains.promised);
  visit("ledger_miss", gains.miss);
  visit("ledger_foresights", gains.foresights);
}

template <Some<LedgerEntry> E, class Visitor>
void visit_members(E& last, Visitor&& visit) {
  visit("ledger_open", last.open);
  visit("ledger_predicted", last.predicted);
  visit("ledger_price", last.price);
  visit("ledger_replaced_sum", last.replaced.sum);
  visit("ledger_replaced_level", last.replaced.level);
  visit("ledger_replaced_pending", last.replaced.pending);
  visit("ledger_since", last.since);
  visit("ledger_looks_since", last.looks_since);
}

// -------------------------------------------------------------------------------------------------

template <Some<DecisionState> S, class Visitor>
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
  visit("rebalanced_at", state.rebalanced_at);
  visit("mean_load", state.mean_load);
  visit("paused", state.paused);

  visit_members(state.interval, visit);
  visit_members(state.ledger, visit);
  visit_members(state.outlook, visit);
  visit_members(state.refinement, visit);

  visit_members(state.interval.trend, visit);
  visit_members(state.ledger.run, visit);
  visit_members(state.ledger.gains, visit);
  visit_members(state.ledger.last, visit);
}

}  // namespace evenkeel::detail
