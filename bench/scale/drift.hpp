#pragma once

// The objects that a rebalance moves after a drift. Compares the ranges of two clouds; the second
// is the first after its phase has turned a little.

#include "cloud.hpp"

#include <evenkeel/core/domains/curve.hpp>

namespace evenkeel::scale {

struct Drift {
  double moved = 0;               // share of all objects that get another rank
  double moved_across_nodes = 0;  // share of all objects that get another node
  double partners = 0;            // ranks to which a rank sends, on average
  std::int64_t most_partners = 0;
};

// `before` and `after` are the splitters of the previous cloud and of `now`, with a part for each
// rank.
Drift drift_between(const Cloud& now, const Splitters& before, const Splitters& after,
                    int ranks_per_node);

}  // namespace evenkeel::scale
