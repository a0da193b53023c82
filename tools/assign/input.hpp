#pragma once

// The input of `evenkeel assign`: its options, and the files that they name.

#include "files/byte_source.hpp"

#include <evenkeel/assign.hpp>

#include <array>
#include <optional>
#include <string>
#include <vector>

namespace evenkeel::tool {

// The values of the options on the command line; empty for options that were not given.
struct AssignArguments {
  std::optional<std::string> costs, ranks, bytes, from, place, edges;
  std::optional<std::string> most_blocks, memory, capacity, speeds, nodes, target_lambda, out;
  bool json = false;
};

struct BlockInput {
  AssignOptions options;  // without those that refer to the vectors below
  std::vector<double> costs, bytes, centres, weights;
  std::vector<int> from;
  std::vector<std::array<int, 2>> edges;
  int dimensions = 0;  // of the centres; 0 without centres
  bool has_edges = false;

  std::size_t blocks() const { return costs.size() / static_cast<std::size_t>(options.phases); }
};

// Checks everything that can be checked without reading the input files. Throws an Error for an
// invalid value, and for an output file that is also an input.
AssignOptions checked(const AssignArguments& asked);

// Reads the input files, after checked(). An Error names the file, the row and the column that are
// wrong. `progress` may be empty.
BlockInput read_blocks(const AssignArguments& asked, const ProgressOf& progress = {});

BlockMap map_of(const BlockInput& input);

// The text or the JSON that the command prints.
std::string report_of(const AssignArguments& asked, const BlockInput& input, const BlockMap& found,
                      double seconds);

}  // namespace evenkeel::tool
