#pragma once

// A companion of a graph that holds nets: they are coarsened with the levels of the graph, and
// refinement improves their connectivity.

#include "graph/cut/multilevel.hpp"
#include "graph/nets/level.hpp"

#include <vector>

namespace evenkeel::graphs {

class NetCompanion final : public Companion {
 public:
  NetCompanion(const Communicator& communicator, NetLevel&& finest);

  void follow(const Level& fine, const Contracted& coarser) override;
  void refine(Moves& moves, const Patience& patience, bool is_finest) override;

 private:
  const Communicator& communicator_;
  // the first is the finest; a level is removed after its refinement
  std::vector<NetLevel> levels_;
};

}  // namespace evenkeel::graphs
