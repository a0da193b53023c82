#pragma once

// Nets over the vertices of a coarser level.

#include "graph/contract.hpp"
#include "graph/nets/level.hpp"

namespace evenkeel::graphs {

// Collective. Nets within a coarse vertex are gone; alike ones are merged.
NetLevel contract_nets(const Communicator& communicator, const NetLevel& fine,
                       const Contracted& coarser);

}  // namespace evenkeel::graphs
