#pragma once

// Items along a curve with costs in several phases, and a search through all cuts of a few items.

#include <evenkeel/core/weights/phase_loads.hpp>

#include <algorithm>
#include <array>
#include <cmath>
#include <cstdint>
#include <limits>
#include <random>

namespace evenkeel::test {

using PhaseCosts = std::vector<std::vector<double>>;  // by phase, then by item

enum class Pattern : std::uint8_t {
  random,        // no order at all
  apart,         // each phase in a region of its own
  small_inside,  // one phase everywhere, the others in a small part of it
  gradients,     // phases that grow in opposite directions
  heavy,         // few items with most of the cost
  stripes,       // phases take turns
  alike,         // all phases are multiples of one
  single         // all phases on one item
};
constexpr std::array patterns = {Pattern::random,    Pattern::apart, Pattern::small_inside,
                                 Pattern::gradients, Pattern::heavy, Pattern::stripes,
                                 Pattern::alike,     Pattern::single};

// The costs are whole numbers, so that sums are exact.
inline PhaseCosts phase_costs(Pattern pattern, std::size_t phases, std::size_t items,
                              unsigned seed) {
  std::mt19937_64 random(seed);
  const auto draw = [&](std::uint64_t below) { return static_cast<double>(random() % below); };
  PhaseCosts costs(phases, std::vector<double>(items));
  for (std::size_t i = 0; i < items; ++i) {
    const double any = 1 + draw(100);
    for (std::size_t p = 0; p < phases; ++p) {
      double& cost = costs[p][i];
      const bool begins = i * 3 >= items && i * 3 < items + 3 + items / 2;
      switch (pattern) {
        case Pattern::random: cost = draw(1000); break;
        case Pattern::apart:
          cost = i * phases / items == p ? (100 + draw(50)) * static_cast<double>(3 * p + 1) : 0;
          break;
        case Pattern::small_inside: cost = p == 0 ? 100 : (begins ? 300 + draw(100) : 0); break;
        case Pattern::gradients:
          cost = static_cast<double>(p % 2 == 0 ? i + 1 : items - i) + draw(3);
          break;
        case Pattern::heavy: cost = random() % 8 == 0 ? 500 + draw(500) : draw(20); break;
        case Pattern::stripes: cost = i * 16 / items % phases == p ? 100 : 0; break;
        case Pattern::alike: cost = any * static_cast<double>(p + 1); break;
        case Pattern::single: cost = i == items / 3 ? 10 : 0; break;
      }
    }
  }
  return costs;
}

inline std::vector<std::span<const double>> spans_of(const PhaseCosts& costs) {
  return {costs.begin(), costs.end()};
}

// The seconds of a step under a cut, by definition.
inline double step_of(const PhaseCosts& costs, const std::vector<std::int64_t>& offsets) {
  double step = 0;
  for (const std::vector<double>& phase : costs) {
    double greatest = 0;
    for (std::size_t part = 0; part + 1 < offsets.size(); ++part) {
      double load = 0;
      for (std::int64_t i = offsets[part]; i < offsets[part + 1]; ++i)
        load += phase[static_cast<std::size_t>(i)];
      greatest = std::max(greatest, load);
    }
    step += greatest;
  }
  return step;
}

// The shortest step of all cuts that begin with these offsets.
inline double shortest_step(const PhaseCosts& costs, std::vector<std::int64_t>& offsets,
                            std::size_t set) {
  if (set + 2 == offsets.size()) return step_of(costs, offsets);
  double shortest = std::numeric_limits<double>::infinity();
  for (std::int64_t at = offsets[set]; at <= offsets.back(); ++at) {
    offsets[set + 1] = at;
    shortest = std::min(shortest, shortest_step(costs, offsets, set + 1));
  }
  return shortest;
}

inline double shortest_step(const PhaseCosts& costs, int parts) {
  std::vector<std::int64_t> offsets(static_cast<std::size_t>(parts) + 1);
  offsets.back() = std::ssize(costs.front());
  return shortest_step(costs, offsets, 0);
}

}  // namespace evenkeel::test
