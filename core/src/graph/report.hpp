#pragma once

// What a cut is like, and parts that must not stay empty.

#include "graph/moves.hpp"
#include "graph/read.hpp"

namespace evenkeel::graphs {

// Collective. Parts of the read vertices and ghosts, with their whole border: vertices that are
// fixed are on it too, and have no homes to stay at afterwards.
Moves surveyed(const Communicator& communicator, GraphRead& read, const Goal& goal,
               exec::Array<int> parts);

// Collective. `moves`: parts of the read vertices and ghosts, with their whole border. `goal`: of
// the undivided clusters, which bound what is possible.
GraphReport report_of(const Communicator& communicator, const GraphRead& read, Moves& moves,
                      const Goal& goal, const PerConstraint& heaviest, std::int64_t clusters);

// Collective. Gives each part without a vertex one of a part with several, where there are enough
// that may move; the same ones on any number of ranks. `parts`: of vertices and ghosts. The
// lightest go, to change least; or, where parts are to grow from them, the heaviest that have
// neighbours.
// Returns whether there was such a part.
enum class Volunteers { light, seeds };
bool fill_empty(const Communicator& communicator, const Level& level, int part_count,
                const exec::Array<int>& parts, Volunteers kind);
// Collective. The same with the lightest; where some have gone, `moves` know nothing but the parts
// any more.
bool fill_empty(const Communicator& communicator, Moves& moves);

}  // namespace evenkeel::graphs
