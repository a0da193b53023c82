#pragma once

// Which part each vertex of a level is in, and moving vertices between parts: what all ways to
// improve a cut share. A way proposes (`targets` of listed vertices), and commit() carries it out.

#include "graph/connections.hpp"
#include "graph/goal.hpp"
#include "graph/vertex_list.hpp"

#include <evenkeel/backends/exec/lists.hpp>
#include <evenkeel/backends/exec/reduce.hpp>

#include <algorithm>
#include <cstdint>
#include <vector>

namespace evenkeel::graph {

// What a partition is worth. Finer units; a cut edge counts once.
struct Worth {
  std::int64_t cut = 0;
  std::int64_t stay = 0;  // of the vertices that are at home
  std::int64_t objective() const noexcept { return cut - stay; }
};

class Moves {
 public:
  // Refers to the level. `parts`: of vertices and ghosts. Collective, as all members but getters.
  Moves(const Communicator& communicator, const Status& status, const Level& level,
        const Goal& goal, exec::Array<int> parts);

  const Level& level() const noexcept { return *level_; }
  const Goal& goal() const noexcept { return goal_; }
  const Worth& worth() const noexcept { return worth_; }
  // By part, constraint by constraint.
  const std::vector<std::int64_t>& weights() const noexcept { return weights_; }
  // The greatest excess over the limits, relative to them; 0 or less: there is none.
  double excess() const noexcept;

  // Jet's step: vertices go where they are connected best, as far as all such moves together help.
  // Returns how many vertices moved.
  std::int64_t improve(double tolerated_loss);
  // Vertices leave parts above a limit for adjacent ones with room, those with the least loss first.
  std::int64_t relieve();

  // What restore() goes back to.
  void remember();
  void restore();
  exec::Array<int> take_parts() { return std::move(parts_); }

 private:
  friend struct MovesWork;
  std::int64_t commit();

  const Communicator* communicator_;
  const Level* level_;
  Goal goal_;
  exec::Array<int> parts_, origins_, remembered_;  // of vertices and ghosts
  exec::Array<int> targets_;                       // of vertices and ghosts; nowhere: stays
  exec::Array<std::int64_t> gains_;                // of vertices and ghosts with a target
  exec::Array<int> moved_at_;                      // the last round in which an owned vertex moved
  exec::Array<int> marks_;                         // of owned vertices: the lists that they are on
  exec::Array<int> relief_targets_, relief_classes_;
  exec::Array<int> ghost_targets_;           // before the last exchange
  exec::Array<std::int64_t> ghost_gains_;
  VertexList border_;  // every owned vertex with a neighbour in another part, and some others
  VertexList active_, active_next_;  // those to choose anew
  VertexList candidates_, movers_, crowded_, changed_;
  exec::Array<std::int64_t> sums_;      // on the way to the host
  exec::Array<std::int64_t> weights_there_;
  exec::Array<std::int64_t> worker_weights_;
  exec::Array<int> worker_parts_;
  std::vector<std::int64_t> weights_;
  Worth worth_, remembered_worth_;
  std::vector<std::int64_t> remembered_weights_;
  int round_ = 0, step_ = 0;
};

}  // namespace evenkeel::graph
