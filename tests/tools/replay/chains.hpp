#pragma once

// Chains of costs for the tests of `evenkeel replay`, the loads of ranks by direct sums, and the
// files of chains.

#include "replay/schedule.hpp"
#include "tools/npy.hpp"

#include <cmath>
#include <random>
#include <utility>

namespace evenkeel::test {

// Values are row by row, with a row for each step.
struct Costs {
  std::string name;
  std::int64_t bins = 1;
  std::vector<double> values;

  std::int64_t steps() const { return std::ssize(values) / bins; }
  double at(std::int64_t step, std::int64_t bin) const {
    return values[static_cast<std::size_t>(step * bins + bin)];
  }
  tool::CostChain chain() const { return {values, static_cast<std::uint64_t>(bins), name}; }
};

inline Costs scaled(Costs costs, double factor) {
  for (double& value : costs.values) value *= factor;
  return costs;
}

// The row of each step is row_of(step).
template <class RowOf>
Costs costs_of(std::string name, int steps, const RowOf& row_of) {
  Costs costs{std::move(name), 1, {}};
  for (int step = 0; step < steps; ++step) {
    const std::vector<double> row = row_of(step);
    costs.bins = std::ssize(row);
    costs.values.insert(costs.values.end(), row.begin(), row.end());
  }
  return costs;
}

// A setting and the data that it refers to.
struct ReplayCase {
  ReplayCase(Costs given, int ranks, double rebalance,
             tool::ReplayStart start = tool::ReplayStart::optimal)
      : costs(std::move(given)),
        chain(costs.chain()),
        setting{chain, ranks,
                start == tool::ReplayStart::optimal ? chain.cut(0, ranks) : chain.even(ranks),
                rebalance} {}
  ReplayCase(const ReplayCase&) = delete;
  ReplayCase& operator=(const ReplayCase&) = delete;

  Costs costs;
  tool::CostChain chain;
  tool::Setting setting;
};

// Costs are whole numbers up to `most`, so that sums are exact. One row in `one_in` has no cost.
inline Costs whole_costs(std::int64_t steps, std::int64_t bins, int most, int one_in,
                         unsigned seed) {
  Costs costs{"whole numbers, seed " + std::to_string(seed), bins, {}};
  std::mt19937_64 random(seed);
  std::uniform_int_distribution<int> cost(0, most), row(1, one_in);
  costs.values.reserve(static_cast<std::size_t>(steps * bins));
  for (std::int64_t step = 0; step < steps; ++step) {
    const bool idle = one_in > 0 && row(random) == one_in;
    for (std::int64_t bin = 0; bin < bins; ++bin) {
      const int drawn = cost(random);
      costs.values.push_back(idle ? 0 : drawn);
    }
  }
  return costs;
}

// A hill that moves back and forth over noise, and grows.
inline Costs drifting_costs(std::int64_t steps, std::int64_t bins, unsigned seed) {
  Costs costs{"drifting, seed " + std::to_string(seed), bins, {}};
  std::mt19937_64 random(seed);
  std::uniform_real_distribution<double> unit(0, 1);
  const auto width = static_cast<double>(bins);
  const double phase = 6 * unit(random), pace = 0.02 + 0.1 * unit(random),
               height = 2 + 10 * unit(random), growth = 0.02 * unit(random);
  costs.values.reserve(static_cast<std::size_t>(steps * bins));
  for (std::int64_t step = 0; step < steps; ++step) {
    const auto time = static_cast<double>(step);
    const double centre = width * (0.5 + 0.4 * std::sin(phase + pace * time));
    for (std::int64_t bin = 0; bin < bins; ++bin) {
      const double distance = 8 * (static_cast<double>(bin) - centre) / width;
      costs.values.push_back(0.9 + 0.2 * unit(random) +
                             height * (1 + growth * time) * std::exp(-distance * distance));
    }
  }
  return costs;
}

// The load of each range, summed bin by bin.
inline std::vector<double> loads_of(const Costs& costs, const tool::Ranges& ranges,
                                    std::int64_t step) {
  std::vector<double> loads;
  loads.reserve(ranges.size());
  for (std::size_t i = 0; i + 1 < ranges.size(); ++i) {
    double load = 0;
    for (std::int32_t bin = ranges[i]; bin < ranges[i + 1]; ++bin) load += costs.at(step, bin);
    loads.push_back(load);
  }
  return loads;
}

inline double slowest_of(const Costs& costs, const tool::Ranges& ranges, std::int64_t step) {
  double most = 0;
  for (const double load : loads_of(costs, ranges, step)) most = std::max(most, load);
  return most;
}

inline double sum_of(const Costs& costs, std::int64_t step) {
  return loads_of(costs, {0, static_cast<std::int32_t>(costs.bins)}, step).front();
}

// A .npy file of rows and columns.
template <class Number>
std::string npy_of(const Costs& costs, bool fortran_order = false) {
  Costs stored = costs;
  for (std::int64_t bin = 0; fortran_order && bin < costs.bins; ++bin)
    for (std::int64_t step = 0; step < costs.steps(); ++step)
      stored.values[static_cast<std::size_t>(bin * costs.steps() + step)] = costs.at(step, bin);
  const std::string rows = std::to_string(costs.steps()), columns = std::to_string(costs.bins);
  return npy_of<Number>("(" + rows + ", " + columns + ")", stored.values, fortran_order);
}

}  // namespace evenkeel::test
