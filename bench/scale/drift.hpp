#pragma once

// What a rebalance moves when objects have drifted: the ranges of one cloud, and of another into
// which it has turned a little, laid over one another.

#include "cloud.hpp"

#include <evenkeel/core/domains/curve.hpp>

#include <cstdint>

namespace evenkeel::scale {

struct Drift {
  double moved = 0;               // share of all objects that get another rank
  double moved_across_nodes = 0;  // another node
  double partners = 0;            // ranks that a rank sends to, on average
  std::int64_t most_partners = 0;
};

// Splitters of the cloud before, and of the one now, with a part for each rank.
Drift drift_between(const Cloud& now, const Splitters& before, const Splitters& after,
                    int ranks_per_node);

}  // namespace evenkeel::scale
