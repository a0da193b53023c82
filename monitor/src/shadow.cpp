#include "shadow.hpp"

#include "interval.hpp"

#include <evenkeel/monitor/decision.hpp>

#include <algorithm>
#include <cmath>

namespace evenkeel {

void Shadow::look(const Totals& totals) {
  if (totals.unfit > 0 || totals.step_least != totals.step_greatest) return;
  Interval seen;
  observe(seen, totals);
  const auto steps = static_cast<double>(totals.steps);
  const double waste = seen.waste.front(), saved = std::min(taken_, waste) * steps;
  Totals balanced = totals;
  balanced.phases = {};
  balanced.load.greatest = totals.critical_load() - std::llround(saved);
  balanced.generation_least = balanced.generation_greatest = state_.generation;
  balanced.cost = 0;
  const Verdict verdict = fold(state_, balanced);
  state_ = verdict.state;
  saved_ += saved;
  if (verdict.decision.action != Action::rebalance) return;
  spent_ += cost_of(state_);
  taken_ = waste;
  state_ = rebalanced(state_, totals.step_greatest, state_.generation + 1);
}

}  // namespace evenkeel
