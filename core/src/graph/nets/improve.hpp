#pragma once

// Jet for nets: moves many vertices at once to parts where their nets have other pins.

#include "graph/improve/moves.hpp"
#include "graph/nets/level.hpp"

#include <cstdint>

namespace evenkeel::graphs {

// The parts that each net is in, with the number of its pins in each part. The parts of vertices
// are those of a Moves, which other steps may change between calls.
class NetMoves {
 public:
  // Collective. Refers to both arguments, which must be of the same level. Call follow() next.
  NetMoves(const NetLevel& nets, Moves& moves);

  // Collective. Updates the counts after all moves since the last call.
  void follow();
  // Collective. Runs one round of Jet, and returns how many vertices moved. If other steps have
  // moved vertices, call follow() before.
  std::int64_t improve(double tolerated_loss);

  // The connectivity, and the connectivity minus the worth of staying at home. Both are in finer
  // units.
  std::int64_t connectivity() const noexcept { return connectivity_; }
  std::int64_t objective() const noexcept { return connectivity_ - moves_.worth.stay; }

 private:
  struct Work;
  struct Pins {  // by owned vertex and ghost
    exec::Array<int> parts, parts_next;
    exec::Array<int> targets;  // nowhere if the pin stays
    // `likely` has the target of a pin that goes if all others go to their targets, and `going` has
    // the target of a pin that goes if the others go to their parts in `likely`. The entries of
    // other pins are nowhere.
    exec::Array<int> likely, going;
    exec::Array<std::int64_t> gains;
    exec::Array<std::uint64_t> names;
    exec::Array<int> marks;  // by owned vertex
  };
  struct InNets {  // the entries of a net in `parts` and `counts` begin at its first pin's index
    exec::Array<int> parts, counts, sizes, marks;
  };
  struct NetLists {
    VertexList touched;  // a list of nets
    VertexList active, active_next, candidates, candidates_next;
  };

  const NetLevel& nets_;
  Moves& moves_;
  std::int64_t connectivity_ = 0;
  Pins pins_;
  InNets in_nets_;
  NetLists lists_;
};

}  // namespace evenkeel::graphs
