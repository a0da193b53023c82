#pragma once

// What `evenkeel partition` was asked for: as it was written, and checked.

#include <evenkeel/core/box.hpp>
#include <evenkeel/core/grid/grid_decomposition.hpp>
#include <evenkeel/core/key.hpp>

#include <optional>
#include <string>
#include <variant>
#include <vector>

namespace evenkeel::tool {

// The values of the options on the command line; nothing where there were none.
struct PartitionArguments {
  std::optional<std::string> points, weights, parts, method, box, work, target_lambda;
  std::optional<std::string> grid, rounds;  // of grid methods
  std::optional<std::string> out, vtk;
  bool json = false;
};

// How objects are cut. A method of its own kind has a function of its own (methods.hpp).
struct CurveMethod {
  CurveKind curve = CurveKind::hilbert;
};
struct GridMethod {
  GridScheme scheme = GridScheme::staggered;
  std::vector<int> extents = {};   // domains along each axis; empty: as near to cubes as can be
  std::optional<int> rounds = {};  // from the work of whole domains; nothing: from objects
};
struct BisectionMethod {};
using Method = std::variant<CurveMethod, GridMethod, BisectionMethod>;

struct PartitionOptions {
  static constexpr int most_parts = 1 << 24;
  static constexpr int most_rounds = 10000;

  std::string points;
  std::optional<std::string> weights;
  int parts = 1;
  std::string method_name = "hilbert";
  Method method;
  std::vector<double> box;  // the lower corner, then the upper; empty: measured
  bool work_is_count = true;
  double target_lambda = 0;  // 0: as even as can be
  std::optional<std::string> out, vtk;
  bool json = false;
};

// "hilbert, morton, .. and histogram".
std::string names_of_methods();

// An Error for what makes no sense, whatever the files hold. The files are not touched.
PartitionOptions checked(const PartitionArguments& asked);

// The box that was given, for points of so many coordinates; an Error when it is none.
std::optional<Box> given_box(const PartitionOptions& options, int dimensions);

// An Error when a grid was given that is none for points of so many coordinates.
void check_grid(const PartitionOptions& options, int dimensions);

}  // namespace evenkeel::tool
