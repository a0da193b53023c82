#pragma once

// Contracts clusters of vertices into the vertices of a coarser level.

#include "graph/levels/level.hpp"

namespace evenkeel::graphs {

struct Contracted {
  Level level;
  // The coarse vertex, owned or ghost, of each fine one, owned or ghost.
  exec::Array<Vertex> coarse_of;
};

// Collective. `leaders` has the leader of each vertex and ghost: a vertex of its cluster that leads
// itself. The coarse vertex is owned by the rank of the leader, and has its name, home and key.
Contracted contract(const Communicator& communicator, const Status& status, const Level& fine,
                    const exec::Array<Address>& leaders);

// Collective. The same graph with this rank's vertices in another order, and with each edge once.
// `order` has the vertices in their new order.
Contracted reordered(const Communicator& communicator, const Status& status, const Level& level,
                     const exec::Array<std::int64_t>& order);

}  // namespace evenkeel::graphs
