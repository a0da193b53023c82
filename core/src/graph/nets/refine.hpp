#pragma once

// Nets that follow the levels of their graph, and improve its cuts by their own objective.

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
  std::vector<NetLevel> levels_;  // from the finest on; refined ones are removed
};

}  // namespace evenkeel::graphs
