#pragma once

// A cut of a graph on several levels. The graph is coarsened level by level. The coarsest level is
// cut, and the cut is improved on each level from the coarsest to the finest.

#include "graph/improve/moves.hpp"
#include "graph/input/read.hpp"
#include "graph/levels/contract.hpp"

#include <evenkeel/core/graph.hpp>

#include <cstdint>
#include <functional>
#include <span>

namespace evenkeel::graphs {

// The parts with which a cut begins. With `anew`, each rank gathers the coarsest level and cuts it.
// With `homes`, each vertex begins in its home. With `given`, the caller gives the parts, and only
// vertices of one part are merged.
enum class Start { anew, homes, given };

// A companion is coarsened with the graph, level by level, and its refine() replaces
// graphs::refine().
class Companion {
 public:
  Companion() = default;
  Companion(const Companion&) = delete;
  Companion& operator=(const Companion&) = delete;
  virtual ~Companion() = default;

  // Collective. Called after each coarser level has been made, beginning with the finest level.
  virtual void follow(const Level& fine, const Contracted& coarser) = 0;
  // Collective. Called once for each level, beginning with the coarsest.
  virtual void refine(Moves& moves, const Patience& patience, bool is_finest) = 0;
};

// The least number of vertices of the coarsest level, and the least number for each part. With 8,
// dense graphs sometimes begin with parts in pieces, and then have 1.4 times as many cut edges.
inline constexpr std::int64_t least_coarsest = 300;
inline constexpr int vertices_per_part = 12;

// More levels than nearly all graphs have.
inline constexpr std::size_t many_levels = 64;

// Reports to the application how much of a cut is done, in the present one of its cycles.
struct Progress {
  const std::function<void(double done)>* tell = nullptr;  // may be null
  int cycle = 0, cycles = 1;
  void operator()(double done) const {
    if (tell != nullptr && *tell) (*tell)((cycle + done) / cycles);
  }
};

// How much effort a cut makes.
struct MultilevelPlan {
  Start start = Start::anew;
  bool is_coarsened = true;  // if false, only the given parts are improved
  bool has_other = false;    // in a cut from nothing: the given parts are another cut
  int starts = 2;            // number of cuts of the coarsest level; the best one is used
  int tries = 4;             // number of attempts at each bisection
  // Several cuts are combined one after the other: vertices of one part in both the best cut so far
  // and the next one are coarsened together, and the best cut is refined again. The better result
  // is kept.
  int cuts = 1;
  std::uint64_t seed = 0;  // other seeds give other cuts
  // In a combination, the finest level with at most this many vertices is gathered on each rank,
  // which searches it (search()).
  std::int64_t most_searched = std::int64_t{1} << 20;
  Patience patience;
  Progress progress = {};
  Companion* companion = nullptr;  // may be null
};

// Collective. Returns the part of each vertex and ghost, with the state of the moves between parts.
// `given` has parts of vertices and ghosts for Start::given, and for another cut. That one is
// improved on the finest level only, and the better result is kept.
Moves cut_levels(const Communicator& communicator, const Status& status, const Level& finest,
                 const Goal& goal, const MultilevelPlan& plan, exec::Array<int> given);

// Collective. Returns the parts of coarse vertices and ghosts, if no cluster has vertices of
// different parts.
exec::Array<int> restricted(const Level& fine, const Contracted& coarser,
                            const exec::Array<int>& parts);

// Returns the parts of fine vertices and ghosts: each has the part of its coarse vertex. Local.
exec::Array<int> projected(const Space& space, const exec::Array<Vertex>& coarse_of,
                           const exec::Array<int>& coarse);

// The part of each vertex and ghost: the part where it is fixed, or else its entry in `homes`.
exec::Array<int> fixed_or(const Level& level, const exec::Array<int>& homes);

// All members except `progress` are the same on all ranks.
struct CutWishes {
  Effort effort = Effort::good;
  double target_lambda = 1;
  std::span<const double> speeds = {};  // of parts; if it is empty, all are equally fast
  const std::function<void(double done)>* progress = nullptr;  // may be null
  Companion* companion = nullptr;  // may be null; if it is not null, the graph must not have
                                   // uncuttable edges
};

// Collective. Moves data out of `read`; do not use it afterwards.
GraphCut cut_read(const Communicator& communicator, GraphRead& read, int parts,
                  const CutWishes& wishes);

// Collective. The report of the parts of this rank's vertices if another cut has found them.
// `wishes` are those by which the parts are judged. May be called several times.
GraphReport report_on(const Communicator& communicator, GraphRead& read, int parts,
                      const CutWishes& wishes, const exec::Array<int>& found);

// Collective. Cuts a graph with a limit of memory; see GraphCutOptions::memory. The cut is reported
// in units. Leaves other weights in `given`.
GraphCut cut_within_memory(const Space& space, const Communicator& communicator, Given& given,
                           const GraphCutOptions& options, const ByGraph& method);

}  // namespace evenkeel::graphs
