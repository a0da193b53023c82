#pragma once

// The part of each vertex of a level, and moves of vertices between parts. All ways to improve a
// cut use Moves. A way lists the vertices to move in `movers`, and writes their new parts to an
// array. commit() carries out these moves and updates all data that depends on them. A vertex is
// examined again only after it or a neighbour has moved.

#include "graph/levels/goal.hpp"
#include "graph/levels/vertex_list.hpp"

#include <cstdint>
#include <vector>

namespace evenkeel::graphs {

// The worth of a partition, in finer units (goal.hpp). Each cut edge counts once.
struct Worth {
  std::int64_t cut = 0;
  std::int64_t stay = 0;  // the worth of staying, summed over the vertices that are at home
  std::int64_t objective() const noexcept { return cut - stay; }
};

// The weight of each part and, if there are lumps (goal.hpp), the number of lumps in it. There is a
// copy on the host, and one for kernels (`..._there`).
struct PartLoads {
  std::vector<std::int64_t> weights;  // by part, then by constraint
  std::vector<std::int64_t> lumps;    // by part; empty without lumps
  exec::Array<std::int64_t> weights_there, lumps_there;
  exec::Array<std::int64_t> limits_there, floors_there;  // of the goal, by part, then by constraint
  std::vector<std::uint32_t> admissions;  // to each part in the next round of Jet; moves_state.hpp
  exec::Array<std::uint32_t> admissions_there;
};

// The arrays are indexed by vertex and ghost, or only by owned vertex if a comment says so.
struct VertexMoves {
  exec::Array<int> parts;
  exec::Array<int> origins;         // parts before the present step
  exec::Array<int> targets;         // nowhere if the vertex stays
  exec::Array<std::int64_t> gains;  // valid for vertices that have a target
  exec::Array<int> moved_at;        // for owned vertices: the last round in which they moved
  exec::Array<int> marks;           // for owned vertices: one bit for each list that they are on
  // For owned vertices: the part to which Jet would move the vertex at any loss, and the loss. They
  // are out of date if the vertex is on the list `active` or the part is nowhere.
  exec::Array<int> favourites;
  exec::Array<std::int64_t> losses;
};

struct MoveLists {
  VertexList border;  // contains every owned vertex with a neighbour in another part
  VertexList active;  // owned vertices that must choose again
  VertexList movers;
  VertexList candidates;  // used within one way to improve
};

// Memory that is reused by for_listed(), then by Jet, then by Release.
struct MoveRoom {
  VertexList crowded;
  exec::Array<std::int64_t> worker_weights;
  exec::Array<int> worker_parts;

  VertexList active_next;
  exec::Array<int> ghost_targets;  // targets of ghosts before the last exchange
  exec::Array<std::int64_t> ghost_gains;

  exec::Array<int> release_targets, release_groups, release_classes;  // by owned vertex
};

struct Moves {
  // Collective. Refers to the level. `first_parts` has the parts of vertices and ghosts.
  Moves(const Communicator& ranks, const Status& status, const Level& its_level,
        const Goal& its_goal, exec::Array<int> first_parts);

  bool has_lump(std::size_t part) const { return !loads.lumps.empty() && loads.lumps[part] > 0; }

  // The share by which a part exceeds a limit; 0 or less if the part is within the limit.
  double excess_of(std::size_t part, std::size_t constraint) const noexcept;
  double excess() const noexcept;  // the greatest excess of any part and constraint
  double mean_weight(std::size_t constraint) const noexcept;  // of a vertex
  // The number of parts that are empty, or exceed a limit by far.
  std::int64_t upset_parts() const noexcept;
  // The constraint that a part exceeds most.
  int critical_constraint(std::size_t part) const noexcept;

  // Collective. Moves the `movers` of all ranks to their parts in `to`, and returns how many moved.
  // `status` is as in vote(). If `are_locked` is set, this is a round of Jet: these vertices cannot
  // move in the next round, and parts that got too much weight then admit fewer vertices.
  std::int64_t commit(const Status& status, const exec::Array<int>& to, bool are_locked);

  // Collective. remember() saves a state, and restore() returns to it; then all vertices on borders
  // choose again. Only remember() takes vertices off the list `border`, so the list has all of the
  // border after restore(), too.
  void remember();
  void restore();

  const Communicator* communicator;
  const Level* level;
  Goal goal;
  Worth worth;
  PartLoads loads;
  VertexMoves vertices;
  MoveLists lists;
  int round = 0, step = 0;
  MoveRoom room;

 private:
  struct Work;
  struct Remembered {
    exec::Array<int> parts;
    VertexList changed;  // vertices that have moved since remember()
    Worth worth;
    std::vector<std::int64_t> weights, lumps;
    std::int64_t border = 0;  // size of the list when it had exactly the border
  };
  struct StepSums {  // the sums of one step: in the space, then on the host
    exec::Array<std::int64_t> there;
    std::vector<std::int64_t> here;
  };

  Remembered remembered_;
  StepSums sums_;
};

// Votes if there are several ranks. On a single rank, throws if `status` is a failure.
void vote_between(const Communicator& communicator, const Status& status);

}  // namespace evenkeel::graphs
