#pragma once

// The domains of parts as boxes, for a picture. There are few boxes, and each of them contains its
// objects.

#include "partition/partitioning.hpp"

#include <evenkeel/backends/comm/communicator.hpp>
#include <evenkeel/core/domains/curve.hpp>
#include <evenkeel/extras/vtk.hpp>

#include <span>
#include <vector>

namespace evenkeel::tool {

// Collective. Moves each splitter to the roundest number that keeps all `keys` in their parts, so
// that the range of a part consists of few large boxes. A part without keys owns nothing. If there
// are no keys at all, nothing changes.
Splitters at_round_keys(const Communicator& communicator, std::span<const CurveKey> keys,
                        const Splitters& splitters);

// Collective. Each object is in a box of its part. On a curve, parts without objects have no box.
std::vector<DomainCell> picture_of(const Communicator& communicator, const Partition& partition);

}  // namespace evenkeel::tool
