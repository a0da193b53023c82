#include "decide/shadow.hpp"

#include "decide/decision.hpp"
#include "decide/interval.hpp"

namespace evenkeel {

namespace {

// Spreads a sum evenly over the slots.
void spread(double nanoseconds, StepSlots& slots) {
  for (std::int64_t& slot : slots)
    slot = std::llround(nanoseconds / static_cast<double>(step_slots));
}

// The load of the slowest ranks over all steps, with recurring work spread over its period. It is
// the mean load of the epoch, scaled to all steps, times slowest / mean of all steps.
double slowest_as_measured(const Totals& totals) {
  const double mean = totals.mean_of_all();
  if (totals.steps <= 0 || mean <= 0) return 0;
  return totals.mean_load() / static_cast<double>(totals.steps) *
         static_cast<double>(totals.all_steps) * totals.slowest_of_all() / mean;
}

}  // namespace

Shadow::Shadow(const DecisionState& first) : state_(first) {
  state_.kept_from = -1;  // no return to earlier domains is possible
  if (!judges_the_load(state_.trigger) || is_of_application(state_.trigger))
    state_.trigger = CostAware{};
}

// The totals as they would be after the rebalances that were not made.
Totals Shadow::balanced(const Totals& totals) const {
  Totals would = totals;
  would.phases = {};
  would.generation_least = would.generation_greatest = state_.generation;
  would.cost = would.rebuild = would.noted = would.extra = 0;
  would.would_be.previous = Counterfactual::unknown;
  would.load.greatest = totals.critical_load();
  if (state_.rebalances == 0) return would;
  would.would_be.as_weighed = Counterfactual::unknown;
  would.would_be.first = would.load.greatest;
  spread(slowest_as_measured(totals), would.other_slots);
  if (totals.would_be.advised >= 0 || left_ >= 0) {
    const bool is_told = totals.would_be.advised >= 0;
    would.load.greatest =
        is_told ? totals.would_be.advised : std::llround(totals.mean_load() * (1 + left_));
    spread(totals.mean_of_all() * (1 + (is_told ? totals.level_of_others() : left_)), would.slots);
    return would;
  }
  const double waste = static_cast<double>(would.load.greatest) - totals.mean_load();
  const double saved =
      std::clamp(taken_ * static_cast<double>(totals.steps), 0.0, std::max(0.0, waste));
  would.load.greatest -= std::llround(saved);
  const double all = totals.slowest_of_all();
  const double share = totals.steps > 0 && all > 0 ? saved / static_cast<double>(totals.steps) *
                                                         static_cast<double>(totals.all_steps) / all
                                                   : 0;
  for (std::int64_t& slot : would.slots)
    slot -= std::llround(std::min(1.0, share) * static_cast<double>(slot));
  return would;
}

// The totals of steps without a measured epoch, with the level that the last look would have had.
Totals Shadow::carried_on(const Totals& totals) const {
  Totals would = totals;
  would.generation_least = would.generation_greatest = state_.generation;
  would.cost = would.rebuild = would.noted = would.extra = 0;
  would.would_be = {};
  would.would_be.first = 0;  // known: the measured load
  would.other_slots = totals.slots;
  would.steps = totals.all_steps;
  would.load.sum = totals.all_load;
  if (state_.rebalances > 0)
    spread(totals.mean_of_all() * (1 + std::max(0.0, state_.ledger.run.level)), would.slots);
  return would;
}

void Shadow::close(const Totals& totals) {
  if (totals.ranks <= 0 || totals.step_least != totals.step_greatest) return;
  state_ = accounted(state_, totals.steps > 0 ? balanced(totals) : carried_on(totals));
}

bool Shadow::look(const Totals& totals) {
  if (totals.unfit > 0 || totals.ranks <= 0 || totals.step_least != totals.step_greatest)
    return false;
  if (totals.would_be.advised >= 0) left_ = totals.level_of_others();
  const Totals would = balanced(totals);
  const Verdict verdict = fold(state_, would);
  state_ = verdict.state;
  const bool cools_down =
      acted_at_ >= 0 && totals.step_greatest - acted_at_ < state_.cooldown_steps;
  if (verdict.decision.action != Action::rebalance || cools_down) return false;
  const double steps = static_cast<double>(std::max<std::int64_t>(1, totals.steps));
  state_.ledger.spent += cost_of(state_);
  taken_ =
      std::max(0.0, (static_cast<double>(totals.critical_load()) - totals.mean_load()) / steps);
  left_ = state_.outlook.fresh;
  state_ = rebalanced(state_, totals.step_greatest, state_.generation + 1);
  // Only surveys report the level under the cut that was not made, and surveys are rare. So, unlike
  // after a real rebalance, the ageing of this cut is not predicted.
  state_.rebalanced_at = state_.began_at;
  acted_at_ = totals.step_greatest;
  return true;
}

}  // namespace evenkeel
