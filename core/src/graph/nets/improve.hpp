#pragma once

// Jet for nets: many vertices at once go to the part where the nets of each are.

#include "graph/moves.hpp"
#include "graph/nets/level.hpp"

#include <cstdint>

namespace evenkeel::graphs {

// What nets are in: for each, the parts of its pins and how many pins each part has. Follows the
// parts of Moves, which others may change too.
class NetMoves {
 public:
  // Collective. Refers to both, which are of one level. follow() has to be called next.
  NetMoves(const NetLevel& nets, Moves& moves);

  // Collective. Takes notice of all moves since the last call.
  void follow();
  // Collective. One round of Jet; follow() must have been called after other moves. Returns how
  // many moved.
  std::int64_t improve(double tolerated_loss);

  // Finer units. What remains to be sent, and less what it is worth to have stayed at home.
  std::int64_t connectivity() const noexcept { return connectivity_; }
  std::int64_t objective() const noexcept { return connectivity_ - moves_.worth.stay; }

 private:
  struct Work;

  const NetLevel& nets_;
  Moves& moves_;
  std::int64_t connectivity_ = 0;

  // Of owned vertices and ghosts.
  exec::Array<int> parts_, parts_next_;
  exec::Array<int> targets_;         // where a vertex would go; nowhere: it stays
  exec::Array<int> likely_, going_;  // where it goes if others do as expected
  exec::Array<std::int64_t> gains_;
  exec::Array<std::uint64_t> names_;
  exec::Array<int> marks_;  // of owned vertices
  // Of nets; parts and counts of a net begin where its pins do.
  exec::Array<int> net_parts_, net_counts_, net_sizes_;
  exec::Array<int> net_marks_;
  VertexList touched_;  // nets
  VertexList active_, active_next_, candidates_, candidates_next_;
};

}  // namespace evenkeel::graphs
