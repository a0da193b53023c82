#pragma once

// Cuts at places that lie anywhere, not only where all parts weigh the same.

#include <evenkeel/core/cut.hpp>

#include <cstdint>
#include <span>

namespace evenkeel {

// The weight of all objects is divided into `pieces` of equal weight; before inner splitter p lie
// before[p] of them. They never fall, and lie between 0 and `pieces`. Without any, all parts weigh
// the same. The product of pieces with itself must not overflow.
struct Marks {
  std::int64_t pieces = 1;
  std::span<const std::int64_t> before = {};
};

// Collective. As cut(), with each splitter where the weight before it is nearest to its mark.
Cut cut_at(const Communicator& communicator, const Status& status,
           std::span<const WeightedKeys> sets, const CutOptions& options, const Marks& marks);

}  // namespace evenkeel
