#pragma once

// The steps of reading a graph; read.cpp calls them.

#include "graph/input/given.hpp"
#include "graph/levels/level.hpp"

#include <cstdint>

namespace evenkeel::graphs {

// Blocks. Returns a sum of hashes. Its sum over all ranks is 0 if each edge is in the rows of both
// its vertices, with the same weight and mark.
std::uint64_t asymmetry(const Space& space, const Given& given);

// Collective. Call it if the sum of asymmetry() over all ranks is not 0. Throws an Error, the same
// on all ranks, that names the lowest edge without an equal reverse. Edges are compared by the
// number at their lower end, then by the number at their upper end. It finds both numbers by
// bisection, so it needs no memory.
[[noreturn]] void refuse_asymmetry(const Space& space, const Communicator& communicator,
                                   const Given& given);

// Collective. Returns the leader of each vertex and ghost. Vertices that uncuttable edges connect,
// over any number of ranks, form a cluster and have the same leader. `is_uncuttable` has the mark
// of each entry of the rows; the two entries of an edge have the same mark. If a vertex of a
// cluster is fixed, the level is changed so that the whole cluster is fixed in the same part.
// Throws an Error if a cluster has vertices that are fixed in different parts.
exec::Array<Address> uncuttable_leaders(const Communicator& communicator, Level& level,
                                        const exec::Array<int>& is_uncuttable);

// Collective, if positions are given. Returns the keys of vertices along a curve through the
// positions.
exec::Array<std::uint64_t> keys_along_curve(const Space& space, const Communicator& communicator,
                                            const Given& given);

}  // namespace evenkeel::graphs
