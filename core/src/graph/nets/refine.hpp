#pragma once

// Makes nets the companion of a graph: they are coarsened with its levels, and refinement improves
// their connectivity.

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
  // the finest is the first; a level is removed after its refinement
  std::vector<NetLevel> levels_;
};

}  // namespace evenkeel::graphs
