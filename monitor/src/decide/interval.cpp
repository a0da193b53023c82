#include "decide/interval.hpp"

#include <algorithm>
#include <cmath>

namespace evenkeel {

namespace {

void put_first(std::array<double, Interval::recent>& latest, double value) noexcept {
  std::shift_right(latest.begin(), latest.end(), 1);
  latest.front() = value;
}

}  // namespace

Trend Interval::trend() const noexcept {
  if (looks < 3 || step_step <= 0) return {};
  const double slope = step_waste / step_step;
  const double left = std::max(0.0, waste_waste - slope * step_waste);
  return {slope, std::sqrt(left / static_cast<double>(looks - 2))};
}

void observe(Interval& interval, const Totals& totals) noexcept {
  if (totals.steps <= 0 || totals.ranks <= 0) return;
  const auto steps = static_cast<double>(totals.steps);
  const double peak = static_cast<double>(totals.critical_load()) / steps;
  const double mean = totals.mean_load() / steps;
  const double waste = std::max(0.0, peak - mean);

  if (interval.looks == 0) interval.efficiency = peak > 0 ? mean / peak : 1;
  ++interval.looks;
  interval.steps += totals.steps;
  interval.wasted += waste * steps;
  interval.slowest += peak * steps;
  // Sums of squares by Welford's method, which loses no digits.
  const double step = static_cast<double>(interval.steps) - steps / 2;
  const double share = 1 / static_cast<double>(interval.looks);
  const double off_step = step - interval.mean_step, off_waste = waste - interval.mean_waste;
  interval.mean_step += share * off_step;
  interval.mean_waste += share * off_waste;
  interval.step_step += off_step * (step - interval.mean_step);
  interval.step_waste += off_step * (waste - interval.mean_waste);
  interval.waste_waste += off_waste * (waste - interval.mean_waste);
  put_first(interval.waste, waste);
  put_first(interval.peak, peak);
  const double so_far = interval.slowest / static_cast<double>(interval.steps);
  interval.degradation += (interval.median_peak() - so_far) * steps;
}

double cost_of(const State& state) noexcept {
  if (state.ledger.cost.knows()) return state.ledger.cost.estimate();
  const double step = state.interval.peak.front() - state.interval.waste.front();
  return state.expected_cost * step;
}

}  // namespace evenkeel
