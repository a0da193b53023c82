#pragma once

// The domains of parts as boxes, for a picture. A range of a Hilbert or Morton curve is made of
// cubes, at most about 2 (2^n - 1) for each level of the lattice; a range of a snake, of 5 boxes at
// most. Boxes of all parts together fill the box, and none overlap.

#include "files/vtu.hpp"

#include <evenkeel/backends/comm/communicator.hpp>
#include <evenkeel/core/box.hpp>
#include <evenkeel/core/decomposition.hpp>
#include <evenkeel/core/key.hpp>

#include <span>
#include <vector>

namespace evenkeel::tool {

// Collective. Splitters that give each of the `keys` to the part that has it by `splitters`, but
// lie, wherever no key is in between, at the roundest number: then a range is made of few and large
// boxes. A part without keys owns nothing; where there are no keys at all, nothing changes.
Splitters at_round_keys(const Communicator& communicator, std::span<const CurveKey> keys,
                        const Splitters& splitters);

// Clipped to the box; what lies outside is left out. `work` of each part.
std::vector<DomainCell> domains_of(const Splitters& splitters, const CurveOptions& curve,
                                   int dimensions, const Box& box, std::span<const double> work);

}  // namespace evenkeel::tool
