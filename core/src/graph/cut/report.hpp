#pragma once

// Makes the report of a cut, and gives vertices to empty parts.

#include "graph/improve/moves.hpp"
#include "graph/input/read.hpp"

namespace evenkeel::graphs {

// Collective. Returns the Moves of given parts of the read vertices and ghosts, with the
// complete list of vertices that have neighbours in other parts. Afterwards no vertex counts as
// fixed or gains by staying at home, so the list includes fixed vertices, too.
Moves surveyed(const Communicator& communicator, GraphRead& read, const Goal& goal,
               exec::Array<int> parts);

// Collective. `moves` comes from surveyed(), and `goal` from the cut. The cut is reported in units.
GraphReport report_of(const Communicator& communicator, const GraphRead& read, Moves& moves,
                      const Goal& goal);

// Collective. Gives each empty part a vertex of a part with several vertices, if enough vertices
// may move. The choice is the same on any number of ranks. `parts` has the parts of vertices and
// ghosts. With Volunteers::light the lightest vertices go, to change as little as possible. With
// Volunteers::seeds the heaviest vertices that have neighbours go, because parts will grow from
// them. Returns true if there was an empty part.
enum class Volunteers { light, seeds };
bool fill_empty(const Communicator& communicator, const Level& level, int part_count,
                const exec::Array<int>& parts, Volunteers kind);
// Collective. Fills the empty parts of `moves` with the lightest vertices. If it returns true, only
// the parts in `moves` are valid; its other members are out of date.
bool fill_empty(const Communicator& communicator, Moves& moves);

}  // namespace evenkeel::graphs
