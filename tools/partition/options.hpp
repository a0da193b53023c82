#pragma once

// The checked options of `evenkeel partition` where it cuts objects by their places. Those of
// graphs are in partition/graph/options.hpp.

#include "partition/arguments.hpp"

#include <evenkeel/core/box.hpp>
#include <evenkeel/core/place/method.hpp>

#include <optional>
#include <string>
#include <vector>

namespace evenkeel::tool {

struct PartitionOptions {
  static constexpr int most_rounds = 10000;

  std::string points;
  std::optional<std::string> weights;
  int parts = 1;
  std::string method_name = "hilbert";
  Method method;
  int grid_numbers = 0;       // that --grid has; 0: it was not given
  std::optional<int> rounds;  // of a grid, from the work of whole domains; nothing: from objects
  std::vector<double> box;    // the lower corner, then the upper; empty: measured
  bool work_is_count = true;
  double target_lambda = 0;  // 0: as even as possible
  std::optional<std::string> out, vtk, svg;
  bool json = false;
};

// An Error for values that are invalid whatever the files hold. Does not open the files. The
// method must not be `graph`.
PartitionOptions checked(const PartitionArguments& asked);

// The given box, if any, for points of `dimensions` coordinates; an Error if it is invalid for
// them.
std::optional<Box> given_box(const PartitionOptions& options, int dimensions);

// An Error if a grid was given that does not fit points of `dimensions` coordinates, or rounds of
// what is no grid.
void check_grid(const PartitionOptions& options, int dimensions);

}  // namespace evenkeel::tool
