#pragma once

// What is known of ghosts, once all is known of the vertices that ranks own.

#include "graph/level.hpp"

namespace evenkeel::graphs {

// Collective. Makes ghosts' values and the rows back from ghosts, where owned vertices are complete
// and the columns of their rows are set.
void complete_ghosts(const Communicator& communicator, Level& level);

}  // namespace evenkeel::graphs
