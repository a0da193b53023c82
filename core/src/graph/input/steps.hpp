#pragma once

// The steps of reading a graph, which read.cpp names in order.

#include "graph/input/given.hpp"
#include "graph/levels/level.hpp"

#include <cstdint>

namespace evenkeel::graphs {

// Blocks. A sum of hashes, which is 0 over all ranks if each edge is in the rows of both its
// vertices, with the same weight and mark.
std::uint64_t asymmetry(const Space& space, const Given& given);

// Collective; called if that sum is not 0. Throws an Error, the same on all ranks, that names the
// lowest edge without an equal reverse. That edge has the lowest number at its lower end, and among
// those the lowest number at its upper end. Takes no memory, because it bisects for both numbers.
[[noreturn]] void refuse_asymmetry(const Space& space, const Communicator& communicator,
                                   const Given& given);

// Collective. The leader of each vertex and ghost. Vertices that uncuttable edges connect, over any
// number of ranks, have the same leader. `is_uncuttable` has the mark of each entry of the rows;
// both entries of an edge have the same mark. If some vertices of a cluster are fixed, all of them
// become fixed in the level; two different parts are an Error.
exec::Array<Address> uncuttable_leaders(const Communicator& communicator, Level& level,
                                        const exec::Array<int>& is_uncuttable);

// Collective, if positions are given. The keys of vertices along a curve through the positions.
exec::Array<std::uint64_t> keys_along_curve(const Space& space, const Communicator& communicator,
                                            const Given& given);

}  // namespace evenkeel::graphs
