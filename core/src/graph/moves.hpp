#pragma once

// Which part each vertex of a level is in, and moving vertices between parts: what all ways to
// improve a cut share. A way fills `movers` and the parts that they go to, and commit() carries it
// out, with all that follows. Nothing is done twice: a vertex is looked at when it or a neighbour
// has moved.

#include "graph/goal.hpp"
#include "graph/vertex_list.hpp"

#include <cstdint>
#include <vector>

namespace evenkeel::graphs {

// What a partition is worth. Finer units; a cut edge counts once.
struct Worth {
  std::int64_t cut = 0;
  std::int64_t stay = 0;  // of the vertices that are at home
  std::int64_t objective() const noexcept { return cut - stay; }
};

// Arrays count vertices and ghosts, or owned vertices alone.
struct Moves {
  // Collective. Refers to the level. `first_parts`: of vertices and ghosts.
  Moves(const Communicator& ranks, const Status& status, const Level& its_level,
        const Goal& its_goal, exec::Array<int> first_parts);

  bool has_lump(std::size_t part) const { return !lumps.empty() && lumps[part] > 0; }

  // What a part exceeds a limit by, relative to it; 0 or less: it does not.
  double excess_of(std::size_t part, std::size_t constraint) const noexcept;
  double excess() const noexcept;  // the greatest
  // The constraint that a part exceeds most.
  int critical_constraint(std::size_t part) const noexcept;

  // Collective. The movers of all ranks go to their parts in `to`; returns how many moved. `status`
  // as in vote(). `are_locked`: they stay where they are in the next round.
  std::int64_t commit(const Status& status, const exec::Array<int>& to, bool are_locked);

  // What restore() goes back to. The border has its vertices then too: none ever leaves the list.
  // Collective.
  void remember();
  void restore();

  const Communicator* communicator;
  const Level* level;
  Goal goal;
  Worth worth;
  std::vector<std::int64_t> weights;  // by part, constraint by constraint
  std::vector<std::int64_t> lumps;    // by part; empty: there are none
  int round = 0, step = 0;

  exec::Array<int> parts;
  exec::Array<int> origins;         // parts before the last step
  exec::Array<int> targets;         // nowhere: stays
  exec::Array<std::int64_t> gains;  // where there is a target
  exec::Array<int> moved_at;        // owned: the last round in which it moved
  exec::Array<int> marks;           // owned: the lists that it is on
  VertexList border;  // every owned vertex with a neighbour in another part, and some others
  VertexList active;  // owned vertices to choose anew
  VertexList movers, crowded;
  exec::Array<std::int64_t> weights_there, lumps_there;  // the same for kernels
  exec::Array<std::int64_t> worker_weights;
  exec::Array<int> worker_parts;

  // Room for what single ways list.
  VertexList active_next, candidates;
  exec::Array<int> ghost_targets;  // before the last exchange
  exec::Array<std::int64_t> ghost_gains;
  exec::Array<int> release_targets, release_groups, release_classes;  // owned

 private:
  struct Work;

  exec::Array<int> remembered_;
  VertexList changed_;              // since remember()
  exec::Array<std::int64_t> sums_;  // on the way to the host
  std::vector<std::int64_t> host_sums_;
  Worth remembered_worth_;
  std::vector<std::int64_t> remembered_weights_, remembered_lumps_;
};

// Votes where there are several ranks, or throws.
void vote_between(const Communicator& communicator, const Status& status);

}  // namespace evenkeel::graphs
