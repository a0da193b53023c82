#pragma once

// The checked options of `evenkeel partition --method graph`.

#include "partition/arguments.hpp"

#include <evenkeel/core/graph.hpp>

#include <optional>
#include <string>

namespace evenkeel::tool {

struct GraphPartitionOptions {
  std::string graph;  // as graph_format_of understands it
  std::optional<std::string> weights, from, uncuttable;
  int parts = 1;
  ByGraph method;
  std::optional<std::string> points;  // where vertices are, for the drawing
  std::optional<std::string> out, svg;
  bool json = false;
};

bool is_by_graph(const PartitionArguments& asked);

// An Error for values that are invalid whatever the files hold. Does not open the files.
GraphPartitionOptions checked_for_graph(const PartitionArguments& asked);

}  // namespace evenkeel::tool
