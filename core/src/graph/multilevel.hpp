#pragma once

// A cut of a graph on several levels: coarsened, cut where it is smallest, and improved on the way
// back.

#include "graph/contract.hpp"
#include "graph/moves.hpp"

#include <cstdint>
#include <functional>
#include <vector>

namespace evenkeel::graphs {

// Where a cut begins: with one of the gathered coarsest level, with the parts that vertices are in,
// or with given ones, which are not coarsened.
enum class Start { anew, homes, given };

// What else follows a graph through its levels, and improves cuts of them instead of refine().
class Companion {
 public:
  Companion() = default;
  Companion(const Companion&) = delete;
  Companion& operator=(const Companion&) = delete;
  virtual ~Companion() = default;

  // Collective. A level has been made coarser; called from the finest one on.
  virtual void follow(const Level& fine, const Contracted& coarser) = 0;
  // Collective. Called from the coarsest level on, once for each.
  virtual void refine(Moves& moves, const Patience& patience, bool is_finest) = 0;
};

// How much is tried.
struct Plan {
  Start start = Start::anew;
  bool is_coarsened = true;     // false: only the given parts are improved
  std::int64_t smallest = 300;  // vertices of the coarsest level, at least
  int vertices_per_part = 12;   // the same for each part
  int starts = 2;               // cuts of the coarsest level
  int tries = 4;                // at each bisection
  Patience patience;
  std::function<void(double done)> progress = {};
  Companion* companion = nullptr;  // null: none
};

// Collective. The part of each vertex and ghost, with what is known of them. `given`: parts of
// vertices and ghosts, for Start::given.
Moves cut_levels(const Communicator& communicator, const Status& status, const Level& finest,
                 const Goal& goal, const Plan& plan, exec::Array<int> given);

// The parts of fine vertices and ghosts, by those of the coarse ones. Local.
exec::Array<int> projected(const Space& space, const exec::Array<Vertex>& coarse_of,
                           const exec::Array<int>& coarse);

// The part of each vertex and ghost: where it is fixed, or else `homes`.
exec::Array<int> fixed_or(const Level& level, const exec::Array<int>& homes);

}  // namespace evenkeel::graphs
