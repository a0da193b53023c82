#pragma once

// Nets go to the ranks that have pins of them.

#include "graph/nets/level.hpp"

namespace evenkeel::graphs {

// Sorts the pins of nets of at most most_net_pins entries, where they are, and returns those that
// may be cut: two pins at least, and a weight. `duplicates`: of entries that were there before.
// Local.
struct Tidied {
  LooseNets nets;
  std::int64_t duplicates = 0;
};
Tidied tidied(const Space& space, const exec::Array<std::int64_t>& offsets,
              const exec::Array<Address>& pins, const exec::Array<EdgeUnits>& weights);

// Collective. Nets with the same pins are merged. `owned`: vertices of this rank. `status` as in
// vote().
NetLevel spread(const Communicator& communicator, const Status& status, const Space& space,
                std::int64_t owned, LooseNets&& loose);

}  // namespace evenkeel::graphs
