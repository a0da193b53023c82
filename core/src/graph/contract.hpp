#pragma once

// Contracts clusters of vertices into the vertices of a coarser level.

#include "graph/level.hpp"

namespace evenkeel::graphs {

struct Contracted {
  Level level;
  // The coarse vertex, owned or ghost, of each fine one, owned or ghost.
  exec::Array<Vertex> coarse_of;
};

// Collective. `leaders`: the leader of each vertex and ghost, a vertex of its cluster that leads
// itself. The coarse vertex is owned by the rank of the leader, and has its name, home and key.
Contracted contract(const Communicator& communicator, const Status& status, const Level& fine,
                    const exec::Array<Address>& leaders);

}  // namespace evenkeel::graphs
