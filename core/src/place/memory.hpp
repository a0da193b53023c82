#pragma once

// Fits the objects into the memory of each rank.

#include "place/task.hpp"

namespace evenkeel {

// Collective. If `found` fills the memory of a rank beyond the limit, replaces it by the best
// assignment that further cuts find; see place_allowed().
void fit_into_memory(const PlaceTask& task, const PlaceLimits& limits, Allowed& found);

}  // namespace evenkeel
