#pragma once

// Cuts of `evenkeel partition` with a limit of the bytes of each part.

#include "partition/cutting.hpp"

namespace evenkeel::tool {

// Collective, like cut_from_objects(). Sets the greatest bytes of a part, too. Throws an Error if
// no cut fits.
Partition cut_within_memory(const Task& task);

// Throws an Error if the fullest part of a cut has more bytes than the limit.
void refuse_if_fuller(double greatest_bytes, double memory);

}  // namespace evenkeel::tool
