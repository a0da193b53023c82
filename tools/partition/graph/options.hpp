#pragma once

// The checked options of `evenkeel partition --method graph`.

#include "partition/methods.hpp"

#include <evenkeel/core/graph.hpp>

namespace evenkeel::tool {

struct GraphPartitionOptions {
  std::string graph;  // a name that graph_format_of accepts
  std::optional<std::string> weights, speeds, bytes, from, uncuttable;
  double memory = 0;  // most bytes of a part; 0 means no limit
  int parts = 1;
  ByGraph method;
  std::optional<std::string> out;
  bool json = false;
};

bool is_by_graph(const PartitionArguments& asked);

// Throws an Error for values that are invalid whatever the files hold. Does not open the files.
GraphPartitionOptions checked_for_graph(const PartitionArguments& asked);

}  // namespace evenkeel::tool
