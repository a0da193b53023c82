#pragma once

// The step of a local search that moves many vertices at once.

#include "graph/moves.hpp"

namespace evenkeel::graphs {

// Collective. Vertices go where they are connected best, as far as all such moves together help.
// `tolerated_loss`: the share of its connection to its own part that a vertex may lose, in the hope
// for its neighbours. Returns how many moved, on all ranks.
std::int64_t improve(Moves& moves, double tolerated_loss);

}  // namespace evenkeel::graphs
