#pragma once

// The ways to improve a cut. Each moves vertices by Moves::commit(), and is collective.

#include "graph/improve/moves.hpp"
#include "graph/improve/quotient.hpp"

#include <cstdint>
#include <vector>

namespace evenkeel::graphs {

// Collective. Moves vertices to the parts to which they have the strongest connection, as far as
// all such moves together help. A vertex may lose up to the share `tolerated_loss` of its
// connection to its own part, because its neighbours may follow. Returns how many moved on all
// ranks.
std::int64_t improve(Moves& moves, double tolerated_loss);

// Collective. Moves vertices from parts above a limit to adjacent parts with room, beginning with
// the vertices that lose least. Returns how many moved on all ranks.
std::int64_t relieve(Moves& moves);

// Collective. Relieves parts above a limit that have no room beside them: weight flows on the
// shortest ways across several parts to parts with room, until no part is above a limit or no
// vertex moves. Borders shift with the flow. Returns how many moved on all ranks.
std::int64_t level_out(Moves& moves, int most_attempts);

// Collective. Handles the cases that relieve() and level_out() leave: parts with room that no flow
// can reach, and a few vertices of very different weights. Returns how many moved on all ranks. The
// result is the same on any number of ranks.
std::int64_t settle(Moves& moves);

// Collective. Leaves only the heaviest lump in each part, because no part has room for two. Other
// lumps go to parts without a lump, which may then be too heavy. Returns how many moved on all
// ranks.
std::int64_t seat_lumps(Moves& moves);

// Collective. Returns all borders between parts, sorted. Each border is listed from both sides.
std::vector<Border> borders_of(Moves& moves);

}  // namespace evenkeel::graphs
