#pragma once

// The report of a cut, and vertices for parts that must not stay empty.

#include "graph/improve/moves.hpp"
#include "graph/input/read.hpp"

namespace evenkeel::graphs {

// Collective. The moves for parts of the read vertices and ghosts, with their whole border. Fixed
// vertices are on it too, because afterwards no vertex is fixed or gains by staying at home.
Moves surveyed(const Communicator& communicator, GraphRead& read, const Goal& goal,
               exec::Array<int> parts);

// Collective. `moves` has the parts of the read vertices and ghosts, with their whole border.
// `goal` is that of the undivided clusters, which limit all cuts.
GraphReport report_of(const Communicator& communicator, const GraphRead& read, Moves& moves,
                      const Goal& goal, const PerConstraint& heaviest, std::int64_t clusters);

// Collective. Gives each empty part a vertex of a part with several, if enough vertices may move.
// The choice is the same on any number of ranks. `parts` are those of vertices and ghosts. With
// Volunteers::light the lightest vertices go, to change least; with Volunteers::seeds, from which
// parts will grow, the heaviest that have neighbours.
// Returns true if there was an empty part.
enum class Volunteers { light, seeds };
bool fill_empty(const Communicator& communicator, const Level& level, int part_count,
                const exec::Array<int>& parts, Volunteers kind);
// Collective. The same with the lightest vertices. If this returns true, only the parts in `moves`
// are still valid.
bool fill_empty(const Communicator& communicator, Moves& moves);

}  // namespace evenkeel::graphs
