#pragma once

// The checked options of `evenkeel partition` for objects that are cut by their places. The options
// for graphs are in partition/graph/options.hpp.

#include "partition/methods.hpp"

#include <evenkeel/core/box.hpp>

#include <vector>

namespace evenkeel::tool {

struct PartitionOptions {
  static constexpr int most_rounds = 10000;

  std::string points;
  std::optional<std::string> weights, speeds, bytes;
  int parts = 1;
  std::string method_name = "hilbert";
  Method method;
  double ghost_cost = 0;      // for auto, in units of the work on an object
  int grid_numbers = 0;       // the count of numbers in --grid; 0 if it was not given
  std::optional<int> rounds;  // from the work of domains; if empty, cut from objects
  std::array<double, 3> cell_size = {}, least_width = {};  // 0 allows any border or width
  std::vector<double> box;  // the lower corner, then the upper; if empty, it is measured
  bool work_is_count = true;
  double memory = 0;         // most bytes of a part; 0 means no limit
  double target_lambda = 0;  // 0 means as even as possible
  std::optional<std::string> out, vtk;
  bool json = false;
};

// Throws an Error for values that are invalid whatever the files hold. Does not open the files. The
// method must not be `graph`.
PartitionOptions checked(const PartitionArguments& asked);

// Returns the given box, if there is one. Throws an Error if it is invalid for points of
// `dimensions` coordinates.
std::optional<Box> given_box(const PartitionOptions& options, int dimensions);

// Throws an Error if the given grid does not fit points of `dimensions` coordinates, or if rounds
// were given for a method without a grid.
void check_grid(const PartitionOptions& options, int dimensions);

}  // namespace evenkeel::tool
