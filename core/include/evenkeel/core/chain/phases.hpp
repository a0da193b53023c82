#pragma once

// Cuts a row of items that cost something in each of several phases. Local: no communication, no
// Kokkos.
//
// A step takes T = sum over phases of the greatest load of a part (weights/phase_loads.hpp). Given
// a limit on the loads of each phase, a cut within these limits is found by filling one part after
// the other, so it is known exactly whether there is one. What is left is a search for the limits
// with the least sum, one number per phase. Where density varies little within a part, the limits
// that can be kept form a convex set, and at the best ones the limit of a phase is proportional to
// the number of parts whose load of that phase is at the limit. The search begins there, tries to
// trade one limit for another in ever smaller steps, and ends by lowering each alone.
//
// For one phase T is within 1e-4 of the least, for two phases within 1 %: there the search also
// rules out anything better. More phases have no such guarantee, nor have two in more than some
// 10,000 parts, where the search ends early.

#include <evenkeel/backends/export.hpp>
#include <evenkeel/core/weights/phase_loads.hpp>

#include <cstdint>
#include <span>
#include <vector>

namespace evenkeel {

// The cut, and what a step then takes.
struct PhaseChain {
  std::vector<std::int64_t>
      offsets;  // parts + 1: part p holds items offsets[p] .. offsets[p + 1] - 1
  PhaseLoads loads;
};

// costs[phase][item]. Of two cuts with the same T the one that was found first counts, and within
// its limits each offset, from left to right, is where the sum of load over limit is nearest to its
// share; ties go to the left. Without any cost, parts have equally many items. Throws an Error for
// costs that are negative, NaN or infinite or add up to more than a number can hold, for phases of
// different lengths, without a phase and without a part.
EVENKEEL_API PhaseChain cut_phases(std::span<const std::span<const double>> costs, int parts);

}  // namespace evenkeel
