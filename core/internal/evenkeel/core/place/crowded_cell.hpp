#pragma once

// Finds a reason for an uneven cut along a curve: objects in one cell of the lattice stay together.

#include <evenkeel/core/place.hpp>

namespace evenkeel {

// The cell that has the most objects of one set on one rank.
struct CrowdedCell {
  std::int64_t in_cell = 0;  // its objects, over all ranks and sets
  std::int64_t objects = 0;  // the objects in all cells
};

// Collective. `prepared` is the result of prepare(), for any method. The first vote takes in
// `status`.
EVENKEEL_API CrowdedCell most_crowded_cell(const Communicator& communicator, const Status& status,
                                           const Prepared& prepared);

}  // namespace evenkeel
