#pragma once

// From a graph in memory to the part of every vertex.

#include "partition/graph/input.hpp"
#include "partition/graph/options.hpp"

#include <evenkeel/backends/comm/communicator.hpp>
#include <evenkeel/core/graph.hpp>

#include <cstdint>
#include <functional>
#include <vector>

namespace evenkeel::tool {

struct GraphPartition {
  GraphReport report;
  double seconds = 0;  // from barrier to barrier, on the slowest rank

  std::vector<std::int32_t> parts;  // of this rank's vertices, in their order
};

// Collective. Everything but the seconds and parts is the same on all ranks, and for any number of
// ranks. `progress`: told the share that is done; may be empty.
GraphPartition cut(const Communicator& communicator, const GraphInput& input,
                   const GraphPartitionOptions& options,
                   const std::function<void(double done)>& progress = {});

}  // namespace evenkeel::tool
