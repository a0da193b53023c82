#pragma once

// Graphs whose vertices and edges have weights, and what becomes of them when clusters of vertices
// are contracted.

#include "graph.hpp"

#include <cstdint>
#include <span>
#include <vector>

namespace evenkeel::bench::graphs {

struct WeightedGraph {
  Graph graph;
  std::vector<std::int64_t> weights, edge_weights;  // empty: all 1
};

// One vertex for each of `count` clusters; `cluster_of` has a number below `count` for each vertex.
WeightedGraph contracted(const WeightedGraph& fine, std::span<const std::int64_t> cluster_of,
                         std::int64_t count);

}  // namespace evenkeel::bench::graphs
