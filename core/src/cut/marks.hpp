#pragma once

// Cuts at any given shares of the weight, not only into parts of equal weight.

#include <evenkeel/core/cut.hpp>

namespace evenkeel {

// The marks divide the weight of all objects into `pieces` pieces of equal weight. before[p] of
// these pieces are sought before inner splitter p. The entries of `before` are in ascending order
// and between 0 and `pieces`; if it is empty, all parts weigh the same. The square of `pieces` must
// not overflow.
struct Marks {
  std::int64_t pieces = 1;
  std::span<const std::int64_t> before = {};
};

// Collective. Cuts like cut(), but the weight before each splitter is as near as possible to its
// mark. With marks there must be no speeds.
EVENKEEL_API Cut cut_at(const Voters& voters, std::span<const WeightedKeys> sets,
                        const CutOptions& options, const Marks& marks);

}  // namespace evenkeel
