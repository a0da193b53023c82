#pragma once

// The ways to improve a cut. Each moves vertices by Moves::commit(), and is collective.

#include "graph/improve/moves.hpp"
#include "graph/improve/quotient.hpp"

#include <cstdint>
#include <vector>

namespace evenkeel::graphs {

// Collective. Moves vertices to the parts to which they have the strongest connection, if this
// helps under the moves of their neighbours. A vertex may lose up to the share `tolerated_loss` of
// its connection to its own part, because its neighbours may follow. Returns the number of vertices
// that moved, over all ranks.
std::int64_t improve(Moves& moves, double tolerated_loss);

// Collective. Moves vertices from parts above a limit to adjacent parts with room, beginning with
// the vertices that lose least. Returns the number of vertices that moved, over all ranks.
std::int64_t relieve(Moves& moves);

// Collective. Relieves parts above a limit whose neighbours have no room. Weight flows across
// several parts to parts with room, on the shortest paths, until no part is above a limit or no
// vertex moves. `borders` may be those of an earlier state, and is updated if it is empty or does
// not suffice. Returns the number of vertices that moved, over all ranks.
std::int64_t level_out(Moves& moves, int most_attempts, std::vector<Border>& borders);

// Collective. Handles two cases that relieve() and level_out() cannot: parts with room that no flow
// can reach, and a few vertices of very different weights. Returns the number of vertices that
// moved, over all ranks. The result is the same on any number of ranks.
std::int64_t settle(Moves& moves);

// Collective. The last resort for a small graph: exchanges vertices between parts, or distributes
// all vertices again (see packing.hpp). Returns the number of vertices that moved, over all ranks.
// The result is the same on any number of ranks.
std::int64_t pack(Moves& moves);

// Collective. Leaves only the heaviest lump (goal.hpp) in each part, because no part has room for
// two. Other lumps go to parts without a lump, which may then be too heavy. Returns the number of
// vertices that moved, over all ranks.
std::int64_t seat_lumps(Moves& moves);

// Collective. Returns all borders between parts, sorted. Each border is listed from both sides.
std::vector<Border> borders_of(Moves& moves);

}  // namespace evenkeel::graphs
