#include "interval.hpp"

#include <algorithm>

namespace evenkeel {

namespace {

void put_first(std::array<double, Interval::recent>& latest, double value) noexcept {
  std::shift_right(latest.begin(), latest.end(), 1);
  latest.front() = value;
}

}  // namespace

void observe(Interval& interval, const Totals& totals) noexcept {
  if (totals.steps <= 0 || totals.ranks <= 0) return;
  const auto steps = static_cast<double>(totals.steps);
  const double peak = static_cast<double>(totals.load.greatest) / steps;
  const double mean = totals.mean_load() / steps;
  const double waste = std::max(0.0, peak - mean);

  if (interval.looks == 0) interval.efficiency = peak > 0 ? mean / peak : 1;
  ++interval.looks;
  interval.steps += totals.steps;
  interval.wasted += waste * steps;
  interval.slowest += peak * steps;
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
