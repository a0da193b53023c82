#pragma once

// Columns that hold ids, as numbers that count the vertices of all ranks.

#include "graph/given.hpp"

namespace evenkeel::graphs {

// Collective. Writes given.columns from given.neighbour_ids. Throws the same Error on all ranks for
// an id that two vertices have, and for one that none has.
void resolve_ids(const Space& space, const Communicator& communicator, Given& given);

}  // namespace evenkeel::graphs
