#pragma once

// Cuts at any shares of the weight, not only into parts of the same weight.

#include <evenkeel/core/cut.hpp>

namespace evenkeel {

// The weight of all objects is divided into `pieces` of equal weight; before[p] of them are before
// inner splitter p. These numbers never fall, and are between 0 and `pieces`. Without them, all
// parts weigh the same. The square of `pieces` must not overflow.
struct Marks {
  std::int64_t pieces = 1;
  std::span<const std::int64_t> before = {};
};

// Collective. Like cut(), but the weight before each splitter is as near as possible to its mark.
EVENKEEL_API Cut cut_at(const Voters& voters, std::span<const WeightedKeys> sets,
                        const CutOptions& options, const Marks& marks);

}  // namespace evenkeel
