#pragma once

// Adds looks to LookInterval, which remembers the steps since the last rebalance.

#include "decide/state.hpp"

namespace evenkeel {

// Adds the latest value at the front, and drops the oldest one.
template <std::size_t size>
void put_first(std::array<double, size>& latest, double value) noexcept {
  std::shift_right(latest.begin(), latest.end(), 1);
  latest.front() = value;
}

// The median of the first `known` numbers, or of all if there are fewer; 0 if `known` is 0. Sorts
// by insertion, since there are few numbers.
template <std::size_t size>
double median(const std::array<double, size>& numbers, std::int64_t known) noexcept {
  const auto count =
      static_cast<std::size_t>(std::clamp<std::int64_t>(known, 0, static_cast<std::int64_t>(size)));
  if (count == 0) return 0;
  std::array<double, size> sorted = numbers;
  for (std::size_t i = 1; i < count; ++i)
    for (std::size_t j = i; j > 0 && sorted[j] < sorted[j - 1]; --j)
      std::swap(sorted[j], sorted[j - 1]);
  const double lower = sorted[(count - 1) / 2], upper = sorted[count / 2];
  return lower + (upper - lower) / 2;
}

struct Rule;

// Adds the totals of a look. They must be fit, and of the present generation.
void observe(LookInterval& interval, const Totals& totals, const Rule& rule) noexcept;

// The expected cost of a rebalance, in nanoseconds.
double cost_of(const DecisionState& state) noexcept;
// The cost of a rebalance that moves as much as usual, if it is more than the cost of the next one.
double usual_cost_of(const DecisionState& state) noexcept;
// The time that rebalances have lost against never rebalancing, divided by the usual cost. It is 0
// if the time of a run without any rebalance is known for less than about half of the run.
double debt_of(const DecisionState& state) noexcept;

}  // namespace evenkeel
