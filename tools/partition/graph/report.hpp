#pragma once

// The output of `evenkeel partition --method graph` on stdout.

#include "partition/graph/cutting.hpp"
#include "partition/graph/input.hpp"
#include "partition/graph/options.hpp"

#include <string>

namespace evenkeel::tool {

// One JSON object, or a table for people.
std::string report_of(const GraphPartitionOptions& options, const GraphInput& input,
                      const GraphPartition& partition);

}  // namespace evenkeel::tool
