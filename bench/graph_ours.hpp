#pragma once

// Evenkeel's own methods to partition a graph: the partitioner in its efforts, and the cut of a
// Hilbert curve through the positions.

#include "graph_method.hpp"

#include <vector>

namespace evenkeel::bench {

std::vector<GraphMethod> our_graph_methods();

}  // namespace evenkeel::bench
