#pragma once

// Clusters of neighbours that become the vertices of a coarser level.

#include "graph/levels/level.hpp"

#include "graph/levels/goal.hpp"

namespace evenkeel::graphs {

// Collective. Returns the leader of each vertex and ghost. A cluster is a pair of vertices that are
// each other's best neighbours, with at most one single vertex that joins each of the two. The
// vertices of a cluster have the same home, the same fixed part and, if `parts` is not empty, the
// same part in it; together they weigh no more than `heaviest` in any constraint. The clusters are
// the same on any number of ranks.
exec::Array<Address> clusters_of(const Communicator& communicator, const Status& status,
                                 const Level& level, const PerConstraint& heaviest,
                                 const exec::Array<int>& parts = {}, std::uint64_t seed = 0);

}  // namespace evenkeel::graphs
