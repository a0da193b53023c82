#pragma once

// The graph that `evenkeel partition --method graph` cuts, and what other files say of its vertices
// and edges: this rank's portion.

#include "files/graph.hpp"
#include "partition/graph/options.hpp"

#include <evenkeel/backends/comm/communicator.hpp>

#include <string>
#include <vector>

namespace evenkeel::tool {

struct GraphInput {
  GraphFile graph;             // its vertex weights are those of --weights where they are given
  std::vector<int> from;       // the part of each vertex; a negative number: none; empty: not given
  std::vector<double> places;  // coordinates of each vertex, one after the other; empty: not given
  int dimensions = 0;          // of the places
  std::vector<int> uncuttable;  // 1 for each entry that must not be cut, else 0; empty: not given
  std::vector<std::string> remarks;  // on the files: sentences
  double seconds = 0;                // on the slowest rank
};

// Collective. A failure on one rank is an Error on all. An edge has an entry in the rows of both
// its ends, with the same weight and mark; a graph where it is not so is an Error that names the
// first such edge.
GraphInput read_graph_input(const Communicator& communicator, const GraphPartitionOptions& options,
                            const Progress& progress = {});

}  // namespace evenkeel::tool
