#pragma once

// Clusters of neighbours that become the vertices of a coarser level.

#include "graph/level.hpp"

#include "graph/goal.hpp"

namespace evenkeel::graphs {

// Collective. The leader of each vertex and ghost: clusters are pairs that are each other's best
// neighbours, and single vertices that join one of a pair. All of a cluster have the same home and
// are fixed alike, and together weigh no more than `heaviest` in any constraint. The same clusters
// on any number of ranks.
exec::Array<Address> clusters_of(const Communicator& communicator, const Status& status,
                                 const Level& level, const PerConstraint& heaviest);

}  // namespace evenkeel::graphs
