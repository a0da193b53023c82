#pragma once

// The ways to improve a cut. Each moves vertices by Moves::commit(), and is collective.

#include "graph/improve/moves.hpp"
#include "graph/improve/quotient.hpp"

#include <cstdint>
#include <vector>

namespace evenkeel::graphs {

// Collective. Vertices go to the parts that they are connected to best, as far as all such moves
// together help. `tolerated_loss` is the share of its connection to its own part that a vertex may
// lose, because its neighbours may follow. Returns how many moved, on all ranks.
std::int64_t improve(Moves& moves, double tolerated_loss);

// Collective. Vertices leave parts above a limit for adjacent ones with room, those with the least
// loss first. Returns how many moved, on all ranks.
std::int64_t relieve(Moves& moves);

// Collective. The same over several parts: weight flows from part to part on the shortest ways to
// parts with room, until no part is above a limit or no vertex moves. The borders advance with the
// flow. Returns how many moved.
std::int64_t level_out(Moves& moves, int most_attempts);

// Collective. Handles the cases that relieve() and level_out() leave: parts with room that have no
// border with a part that is too heavy, and a few vertices of very different weights. Returns how
// many moved. The result is the same on any number of ranks.
std::int64_t settle(Moves& moves);

// Collective. No part has room for two lumps. All lumps of a part except the heaviest go to parts
// without one, which may become too heavy. Returns how many moved.
std::int64_t seat_lumps(Moves& moves);

// Collective. All borders between parts, sorted; each is listed from both sides.
std::vector<Border> borders_of(Moves& moves);

}  // namespace evenkeel::graphs
