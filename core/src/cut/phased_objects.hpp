#pragma once

// Objects that cost something in each of several phases, and sums over them.

#include "cut/units.hpp"

#include <evenkeel/core/cut.hpp>

#include <array>

namespace evenkeel {

// The objects and costs of the phases before a cut: first of one rank, then of all ranks.
struct PhaseCensus {
  std::int64_t objects = 0;
  std::array<double, most_phases> heaviest = {};
};
void combine_phases(PhaseCensus& into, const PhaseCensus& from) noexcept;

// Throws an Error for sets that are not valid. Local.
PhaseCensus census_of_phases(std::span<const PhasedKeys> sets, int phases);

// The unit of each phase, in which its costs are whole numbers.
struct PhaseUnits {
  Units of[most_phases];
  int phases;

  PhaseUnits(const PhaseCensus& all, int count);
};

// The costs of each phase of the objects between rising keys: before the first of `boundaries`,
// from it to the second, ..., from the last on. The phases of one interval are next to each other.
// Blocks. Local.
std::vector<std::int64_t> sums_between(std::span<const PhasedKeys> sets, const PhaseUnits& units,
                                       std::span<const CurveKey> boundaries);

// For each key of a set, the sum over phases of its object's cost / total, in the order of the
// keys. A phase with a total of 0 is left out. Blocks.
exec::Array<double> shares_of_totals(const PhasedKeys& set, std::span<const double> totals);

// The same, divided by the sum of the part that holds the key, in the order of the objects. Blocks.
exec::Array<double> shares_of_parts(const PhasedKeys& set, std::span<const double> totals,
                                    std::span<const CurveKey> boundaries,
                                    std::span<const double> sum_of_part);

}  // namespace evenkeel
