#pragma once

// Cuts of `evenkeel partition` with a limit of the bytes of each part.

#include "partition/cutting.hpp"

namespace evenkeel::tool {

// Collective, like cut_from_objects(). Sets the greatest bytes of a part, too. Throws an Error if
// no cut fits.
Partition cut_within_memory(const Task& task);

}  // namespace evenkeel::tool
