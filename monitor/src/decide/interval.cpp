#include "decide/interval.hpp"

#include "decide/rule.hpp"

namespace evenkeel {

// Updates the sums of squares by Welford's method, which avoids cancellation.
void WasteTrend::add(double step, double waste, std::int64_t looks) noexcept {
  const double share = 1 / static_cast<double>(looks);
  const double off_step = step - mean_step, off_waste = waste - mean_waste;
  mean_step += share * off_step;
  mean_waste += share * off_waste;
  step_step += off_step * (step - mean_step);
  step_waste += off_step * (waste - mean_waste);
  waste_waste += off_waste * (waste - mean_waste);
}

Trend WasteTrend::line(std::int64_t looks) const noexcept {
  if (looks < 3 || step_step <= 0) return {};
  const double slope = step_waste / step_step;
  const double left = std::max(0.0, waste_waste - slope * step_waste);
  return {slope, std::sqrt(left / static_cast<double>(looks - 2))};
}

double LookInterval::median_waste() const noexcept { return median(waste, looks); }
double LookInterval::median_peak() const noexcept { return median(peak, looks); }

void observe(LookInterval& interval, const Totals& totals, const Rule& rule) noexcept {
  if (totals.steps <= 0 || totals.ranks <= 0) return;
  const auto steps = static_cast<double>(totals.steps);
  const double peak = static_cast<double>(totals.critical_load()) / steps;
  const double mean = totals.mean_load() / steps;
  const double waste = std::max(0.0, peak - mean);

  ++interval.looks;
  interval.steps += totals.steps;
  interval.wasted += waste * steps;
  interval.slowest += peak * steps;
  interval.trend.add(static_cast<double>(interval.steps) - steps / 2, waste, interval.looks);
  put_first(interval.waste, waste);
  put_first(interval.peak, peak);
  rule.remember(interval, steps);
}

double cost_of(const DecisionState& state) noexcept {
  const double step = state.interval.peak.front() - state.interval.waste.front();
  return state.ledger.cost.next(state.expected_cost * step);
}

double usual_cost_of(const DecisionState& state) noexcept {
  return std::max(cost_of(state), state.ledger.cost.cost);
}

double debt_of(const DecisionState& state) noexcept {
  const double cost = usual_cost_of(state);
  const bool knows_never = state.ledger.never.pending <= state.ledger.never.sum;
  return cost > 0 && knows_never ? -state.ledger.saved() / cost : 0;
}

}  // namespace evenkeel
