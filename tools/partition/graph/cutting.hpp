#pragma once

// Finds the part of every vertex of a graph in memory.

#include "partition/graph/input.hpp"

#include <cstdint>
#include <functional>

namespace evenkeel::tool {

struct GraphPartition {
  GraphReport report;
  double seconds = 0;  // from barrier to barrier, on the slowest rank

  std::vector<std::int32_t> parts;  // of this rank's vertices, in their order
};

// Collective. Everything but the seconds and parts is the same on all ranks, and for any number of
// ranks. `progress` receives the share that is done; it may be empty.
GraphPartition cut(const Communicator& communicator, const GraphInput& input,
                   const GraphPartitionOptions& options,
                   const std::function<void(double done)>& progress = {});

// The text for stdout: one JSON object, or a table for people.
std::string report_of(const GraphPartitionOptions& options, const GraphInput& input,
                      const GraphPartition& partition);

}  // namespace evenkeel::tool
