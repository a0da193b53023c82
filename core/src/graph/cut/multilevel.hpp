#pragma once

// A cut of a graph on several levels. The graph is coarsened, cut on the coarsest level, and the
// cut is improved on each level on the way back.

#include "graph/improve/moves.hpp"
#include "graph/input/read.hpp"
#include "graph/levels/contract.hpp"

#include <evenkeel/core/graph.hpp>

#include <cstdint>
#include <functional>

namespace evenkeel::graphs {

// The begin of a cut: a cut of the gathered coarsest level, the homes of vertices, or given parts,
// with which the graph is not coarsened.
enum class Start { anew, homes, given };

// A companion follows a graph through its levels, and improves their cuts instead of refine().
class Companion {
 public:
  Companion() = default;
  Companion(const Companion&) = delete;
  Companion& operator=(const Companion&) = delete;
  virtual ~Companion() = default;

  // Collective. Called for each level that has been made coarser, from the finest on.
  virtual void follow(const Level& fine, const Contracted& coarser) = 0;
  // Collective. Called once for each level, from the coarsest on.
  virtual void refine(Moves& moves, const Patience& patience, bool is_finest) = 0;
};

// The effort of a cut.
struct MultilevelPlan {
  Start start = Start::anew;
  bool is_coarsened = true;     // if false, only the given parts are improved
  std::int64_t smallest = 300;  // vertices of the coarsest level, at least
  int vertices_per_part = 12;   // of the coarsest level, at least
  int starts = 2;               // cuts of the coarsest level
  int tries = 4;                // at each bisection
  Patience patience;
  std::function<void(double done)> progress = {};
  Companion* companion = nullptr;  // may be null
};

// Collective. Returns the part of each vertex and ghost, with the state of their moves. `given` are
// parts of vertices and ghosts, for Start::given.
Moves cut_levels(const Communicator& communicator, const Status& status, const Level& finest,
                 const Goal& goal, const MultilevelPlan& plan, exec::Array<int> given);

// The parts of fine vertices and ghosts, from those of the coarse ones. Local.
exec::Array<int> projected(const Space& space, const exec::Array<Vertex>& coarse_of,
                           const exec::Array<int>& coarse);

// The part of each vertex and ghost: the part where it is fixed, or else its entry in `homes`.
exec::Array<int> fixed_or(const Level& level, const exec::Array<int>& homes);

// The same on all ranks, except for `progress`.
struct CutWishes {
  Effort effort = Effort::good;
  double tolerance = 0;
  std::function<void(double done)> progress = {};
  Companion* companion = nullptr;  // may be null; with one, nothing in the graph is uncuttable
};

// Collective. Uses up parts of `read`, which must not be used afterwards.
GraphCut cut_read(const Communicator& communicator, GraphRead& read, int parts,
                  const CutWishes& wishes);

}  // namespace evenkeel::graphs
