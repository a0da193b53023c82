#pragma once

// Objects that cost something in each of several phases, and what is summed up over them.

#include "units.hpp"

#include <evenkeel/backends/exec/array.hpp>
#include <evenkeel/backends/exec/space.hpp>
#include <evenkeel/core/cut/phases.hpp>

#include <array>
#include <cstdint>
#include <span>
#include <vector>

namespace evenkeel {

// What is known of the phases before a cut: first on one rank, then on all.
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
// from it to the second, ..., from the last on; phases side by side. Blocks. Local.
std::vector<std::int64_t> sums_between(std::span<const PhasedKeys> sets, const PhaseUnits& units,
                                       std::span<const CurveKey> boundaries);

// The sum over phases of cost over total, of the object of each key of a set, in the order of the
// keys. A phase with a total of 0 is left out. Blocks.
exec::Array<double> shares_of_totals(const PhasedKeys& set, std::span<const double> totals);

// The same over the sum in the part that the key lies in, by object. Blocks.
exec::Array<double> shares_of_parts(const PhasedKeys& set, std::span<const double> totals,
                                    std::span<const CurveKey> boundaries,
                                    std::span<const double> sum_of_part);

}  // namespace evenkeel
