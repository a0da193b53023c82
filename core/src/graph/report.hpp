#pragma once

// What a cut is like, and parts that must not stay empty.

#include "graph/goal.hpp"
#include "graph/read.hpp"

namespace evenkeel::graphs {

// Collective. `parts`: of the read vertices and ghosts. `goal`: of the undivided clusters, which
// bound what is possible.
GraphReport report_of(const Communicator& communicator, GraphRead& read,
                      const exec::Array<int>& parts, const Goal& goal,
                      const PerConstraint& heaviest, std::int64_t clusters);

// Collective. Gives each part without a vertex one of a part with several, where there are enough
// that may move; the same ones on any number of ranks. `parts`: of vertices and ghosts. The
// lightest go, to change least; or, where parts are to grow from them, the heaviest that have
// neighbours.
enum class Volunteers { light, seeds };
void fill_empty(const Communicator& communicator, const Level& level, int part_count,
                const exec::Array<int>& parts, Volunteers kind = Volunteers::light);

}  // namespace evenkeel::graphs
