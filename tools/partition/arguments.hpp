#pragma once

// The values of the options of `evenkeel partition` on the command line; nothing for options that
// were not given.

#include <optional>
#include <string>

namespace evenkeel::tool {

struct PartitionArguments {
  std::optional<std::string> parts, method, weights, out, svg;
  std::optional<std::string> points, box, work, target_lambda, vtk;  // of objects
  std::optional<std::string> grid, rounds;                           // of grid methods
  std::optional<std::string> graph, from, uncuttable, effort, tolerance, moving_cost;
  bool json = false;
};

}  // namespace evenkeel::tool
