#pragma once

// The part of each vertex of a level, and moves of vertices between parts, for all ways to improve
// a cut. A way fills `movers` and the parts that they go to, and commit() carries out these moves
// with all their consequences. No work is repeated: a vertex is examined again only after it or a
// neighbour has moved.

#include "graph/levels/goal.hpp"
#include "graph/levels/vertex_list.hpp"

#include <cstdint>
#include <vector>

namespace evenkeel::graphs {

// The worth of a partition, in finer units; a cut edge counts once.
struct Worth {
  std::int64_t cut = 0;
  std::int64_t stay = 0;  // of the vertices that are at home
  std::int64_t objective() const noexcept { return cut - stay; }
};

// The weights of parts and, if there are lumps, the lumps in each: on the host, and for kernels.
struct PartLoads {
  std::vector<std::int64_t> weights;  // by part, constraint by constraint
  std::vector<std::int64_t> lumps;    // by part; empty without lumps
  exec::Array<std::int64_t> weights_there, lumps_there;
};

// Arrays are by vertex and ghost, or only by owned vertex.
struct VertexMoves {
  exec::Array<int> parts;
  exec::Array<int> origins;         // parts before the last step
  exec::Array<int> targets;         // nowhere if it stays
  exec::Array<std::int64_t> gains;  // of vertices that have a target
  exec::Array<int> moved_at;        // of owned vertices, the last round in which they moved
  exec::Array<int> marks;           // of owned vertices, the lists that they are on
};

struct MoveLists {
  VertexList border;  // every owned vertex with a neighbour in another part, and some others
  VertexList active;  // owned vertices that choose again
  VertexList movers;
  VertexList candidates;  // of one way to improve
};

// Memory that is reused: for vertices with many connections, by Jet and by Release.
struct MoveRoom {
  VertexList crowded;
  exec::Array<std::int64_t> worker_weights;
  exec::Array<int> worker_parts;

  VertexList active_next;
  exec::Array<int> ghost_targets;  // before the last exchange
  exec::Array<std::int64_t> ghost_gains;

  exec::Array<int> release_targets, release_groups, release_classes;  // owned
};

struct Moves {
  // Collective. Refers to the level. `first_parts` are those of vertices and ghosts.
  Moves(const Communicator& ranks, const Status& status, const Level& its_level,
        const Goal& its_goal, exec::Array<int> first_parts);

  bool has_lump(std::size_t part) const { return !loads.lumps.empty() && loads.lumps[part] > 0; }

  // The share by which a part exceeds a limit; 0 or less if it does not.
  double excess_of(std::size_t part, std::size_t constraint) const noexcept;
  double excess() const noexcept;  // the greatest
  // The constraint that a part exceeds most.
  int critical_constraint(std::size_t part) const noexcept;

  // Collective. The movers of all ranks go to their parts in `to`; returns how many moved. `status`
  // has the meaning that it has in vote(). If `are_locked` is set, they do not move in the next
  // round.
  std::int64_t commit(const Status& status, const exec::Array<int>& to, bool are_locked);

  // remember() saves the state to which restore() returns. The border is still complete then,
  // because no vertex ever leaves the list. Collective.
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
    VertexList changed;  // since then
    Worth worth;
    std::vector<std::int64_t> weights, lumps;
  };
  struct StepSums {  // of a step, on their way to the host
    exec::Array<std::int64_t> there;
    std::vector<std::int64_t> here;
  };

  Remembered remembered_;
  StepSums sums_;
};

// Votes if there are several ranks. On a single rank, throws if `status` is a failure.
void vote_between(const Communicator& communicator, const Status& status);

}  // namespace evenkeel::graphs
