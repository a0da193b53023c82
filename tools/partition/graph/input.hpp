#pragma once

// This rank's portion of the graph that `evenkeel partition --method graph` cuts, with the data of
// its vertices and edges from other files.

#include "files/graph.hpp"
#include "partition/graph/options.hpp"

#include <vector>

namespace evenkeel::tool {

struct GraphInput {
  GraphFile graph;        // its vertex weights are those of --weights, if that is given
  std::vector<int> from;  // the part of each vertex; negative if it has no part; empty if not given
  std::vector<double> speeds;   // of the parts; empty if all are equally fast
  std::vector<int> uncuttable;  // 1 for each entry that must not be cut, else 0; empty if not given
  std::vector<std::string> remarks;  // sentences on the files
  double seconds = 0;                // on the slowest rank
};

// Collective. A failure on one rank is an Error on all. An edge must have an entry in the rows of
// both its ends, with the same weight and mark. An Error names the first edge that violates this.
GraphInput read_graph_input(const Communicator& communicator, const GraphPartitionOptions& options,
                            const Progress& progress = {});

}  // namespace evenkeel::tool
