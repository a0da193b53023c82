#pragma once

// What makes parts that are too heavy lighter.

#include "graph/moves.hpp"

#include <cstdint>

namespace evenkeel::graphs {

// Collective. Vertices leave parts above a limit for adjacent ones with room, those with the least
// loss first. Returns how many moved, on all ranks.
std::int64_t relieve(Moves& moves);

// Collective. The same over several parts: weight flows from part to part on the shortest ways to
// where there is room, across borders as they advance, until no part is above a limit or no more
// moves. Returns how many moved.
std::int64_t level_out(Moves& moves, int most_attempts);

}  // namespace evenkeel::graphs
