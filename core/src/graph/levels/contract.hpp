#pragma once

// Contracts clusters of vertices into the vertices of a coarser level.

#include "graph/levels/level.hpp"

namespace evenkeel::graphs {

struct Contracted {
  Level level;
  // For each fine vertex, owned or ghost: its coarse vertex, owned or ghost.
  exec::Array<Vertex> coarse_of;
};

// Collective. `leaders` has the leader of each vertex and ghost. A leader is a vertex of the
// cluster that leads itself. The rank of the leader owns the coarse vertex, which has the name,
// home and key of the leader.
Contracted contract(const Communicator& communicator, const Status& status, const Level& fine,
                    const exec::Array<Address>& leaders);

// Collective. Returns the same graph with this rank's vertices in another order. Edges that occur
// more than once are merged. `order` has the vertices in their new order.
Contracted reordered(const Communicator& communicator, const Status& status, const Level& level,
                     const exec::Array<std::int64_t>& order);

}  // namespace evenkeel::graphs
