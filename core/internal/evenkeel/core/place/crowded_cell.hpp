#pragma once

// Why a cut along a curve may be uneven: objects in one cell of the lattice stay together.

#include <evenkeel/core/place.hpp>

namespace evenkeel {

// About the cell with the most objects of one rank and set.
struct CrowdedCell {
  std::int64_t in_cell = 0;  // objects of all ranks and sets
  std::int64_t objects = 0;  // in all cells
};

// Collective. Of what prepare() has made ready, for any method. `status` as in cut().
EVENKEEL_API CrowdedCell most_crowded_cell(const Communicator& communicator, const Status& status,
                                           const Prepared& prepared);

}  // namespace evenkeel
