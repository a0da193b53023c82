#pragma once

// The options of `evenkeel partition`: as the user wrote them, and checked.

#include <evenkeel/core/box.hpp>
#include <evenkeel/core/place/method.hpp>

#include <optional>
#include <string>
#include <vector>

namespace evenkeel::tool {

// The values of the options on the command line; nothing for options that were not given.
struct PartitionArguments {
  std::optional<std::string> points, weights, parts, method, box, work, target_lambda;
  std::optional<std::string> grid, rounds;  // of grid methods
  std::optional<std::string> out, vtk;
  bool json = false;
};

struct PartitionOptions {
  static constexpr int most_parts = 1 << 24;
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
  std::optional<std::string> out, vtk;
  bool json = false;
};

// "hilbert, morton, .. and histogram".
std::string names_of_methods();

// An Error for values that are invalid whatever the files hold. Does not open the files.
PartitionOptions checked(const PartitionArguments& asked);

// The given box, if any, for points of `dimensions` coordinates; an Error if it is invalid for
// them.
std::optional<Box> given_box(const PartitionOptions& options, int dimensions);

// An Error if a grid was given that does not fit points of `dimensions` coordinates, or rounds of
// what is no grid.
void check_grid(const PartitionOptions& options, int dimensions);

}  // namespace evenkeel::tool
