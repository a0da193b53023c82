#pragma once

// Vertices that must stay together.

#include "graph/level.hpp"

namespace evenkeel::graphs {

// Collective. The leader of each vertex and ghost: those that uncuttable edges connect, over any
// number of ranks, have the same. `is_uncuttable`: of each edge; one direction suffices. Where some
// of them are fixed, all are, and so are the level's entries afterwards; two different parts are an
// Error.
exec::Array<Address> uncuttable_leaders(const Communicator& communicator, Level& level,
                                        const exec::Array<int>& is_uncuttable);

}  // namespace evenkeel::graphs
