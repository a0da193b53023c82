#pragma once

// Objects that have a cost in each of several phases, and sums over these objects.

#include "cut/units.hpp"

#include <evenkeel/core/cut.hpp>

#include <array>

namespace evenkeel {

// The number of objects and their heaviest costs by phase, before a cut: at first those of one
// rank, then those of all ranks together.
struct PhaseCensus {
  std::int64_t objects = 0;
  std::array<double, most_phases> heaviest = {};
};
void combine_phases(PhaseCensus& into, const PhaseCensus& from) noexcept;

// Local. Returns the census of this rank. Throws an Error if a set is not valid.
PhaseCensus census_of_phases(std::span<const PhasedKeys> sets, int phases);

// The unit of each phase. In this unit, the costs of the phase are integers.
struct PhaseUnits {
  Units of[most_phases];
  int phases;

  PhaseUnits(const PhaseCensus& all, int count);
};

// Local. Returns the cost, in each phase, of the objects between ascending boundaries: before the
// first boundary, from the first to the second, and so on, and from the last on. The costs of one
// interval in all phases are adjacent. Blocks.
std::vector<std::int64_t> sums_between(std::span<const PhasedKeys> sets, const PhaseUnits& units,
                                       std::span<const CurveKey> boundaries);

// Returns one number for each key of a set, in the order of the keys: the sum, over all phases, of
// the object's cost / the total of the phase. Leaves out phases with a total of 0. Blocks.
exec::Array<double> shares_of_totals(const PhasedKeys& set, std::span<const double> totals);

// Divides these numbers by `sum_of_part` of the part that contains the key, and returns them in the
// order of the objects. Blocks.
exec::Array<double> shares_of_parts(const PhasedKeys& set, std::span<const double> totals,
                                    std::span<const CurveKey> boundaries,
                                    std::span<const double> sum_of_part);

}  // namespace evenkeel
