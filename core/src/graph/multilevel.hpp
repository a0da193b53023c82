#pragma once

// A cut of a graph on several levels: coarsened, cut where it is smallest, and improved on the way
// back.

#include "graph/moves.hpp"

#include <cstdint>
#include <vector>

namespace evenkeel::graph {

// How much is tried.
struct Plan {
  bool is_coarsened = true;      // false: only the given parts are improved
  std::int64_t smallest = 300;  // vertices of the coarsest level, at least
  int vertices_per_part = 12;    // the same for each part
  int starts = 2;                // cuts of the coarsest level
  int tries = 4;                 // at each bisection
  Patience patience;
};

struct Parts {
  exec::Array<int> of_vertices;  // and of ghosts
  Worth worth;
  std::vector<std::int64_t> weights;
};

// Collective. `current`: parts of vertices and ghosts to begin with; empty: none.
Parts cut_levels(const Communicator& communicator, const Status& status, const Level& finest,
                 const Goal& goal, const Plan& plan, exec::Array<int> current);

// Collective. Improves a cut until nothing more comes of it. `is_finest`: losses are tolerated less.
void refine(Moves& moves, const Patience& patience, bool is_finest);

}  // namespace evenkeel::graph
