#pragma once

// Jet for nets: many vertices at once go to the parts that their nets are in.

#include "graph/improve/moves.hpp"
#include "graph/nets/level.hpp"

#include <cstdint>

namespace evenkeel::graphs {

// The parts that each net is in, with the number of its pins in each of them. Follows the parts of
// Moves, which other steps may change too.
class NetMoves {
 public:
  // Collective. Refers to both, which are of one level. follow() has to be called next.
  NetMoves(const NetLevel& nets, Moves& moves);

  // Collective. Accounts for all moves since the last call.
  void follow();
  // Collective. One round of Jet; follow() must have been called after other moves. Returns how
  // many moved.
  std::int64_t improve(double tolerated_loss);

  // In finer units: the data that have to be sent, and the same less the worth of staying at home.
  std::int64_t connectivity() const noexcept { return connectivity_; }
  std::int64_t objective() const noexcept { return connectivity_ - moves_.worth.stay; }

 private:
  struct Work;
  struct Pins {  // of owned vertices and ghosts
    exec::Array<int> parts, parts_next;
    exec::Array<int> targets;        // nowhere if it stays
    exec::Array<int> likely, going;  // the target if others do as expected
    exec::Array<std::int64_t> gains;
    exec::Array<std::uint64_t> names;
    exec::Array<int> marks;  // of owned vertices
  };
  struct InNets {  // parts and counts of a net begin at the index of its pins
    exec::Array<int> parts, counts, sizes, marks;
  };
  struct NetLists {
    VertexList touched;  // nets
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
