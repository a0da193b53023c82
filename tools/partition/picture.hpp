#pragma once

// The domains of parts as boxes, for a picture: few of them, and in each the objects that it is
// drawn around.

#include "partition/partitioning.hpp"

#include <evenkeel/backends/comm/communicator.hpp>
#include <evenkeel/core/decomposition.hpp>
#include <evenkeel/core/key.hpp>
#include <evenkeel/core/vtk.hpp>

#include <span>
#include <vector>

namespace evenkeel::tool {

// Collective. Splitters that give each of the `keys` to the part that has it by `splitters`, but
// lie, wherever no key is in between, at the roundest number: then a range is made of few and large
// boxes. A part without keys owns nothing; where there are no keys at all, nothing changes.
Splitters at_round_keys(const Communicator& communicator, std::span<const CurveKey> keys,
                        const Splitters& splitters);

// Collective. Each object is in a box of its part. Parts of a curve that have no objects have no
// box.
std::vector<DomainCell> picture_of(const Communicator& communicator, const Partition& partition);

}  // namespace evenkeel::tool
